import { settlingMs } from '../blob-owners/blob-erasure.ts';
import { disown } from '../blob-owners/blob-owners.ts';
import type { Delivery } from '../broker/broker.ts';
import { hasCode, messageOf, PismakError } from '../ground/errors.ts';
import type { Runner } from '../processor/runner.ts';
import { cancelledLog } from '../request/cancellations.ts';
import { endRequests } from '../request/open-requests.ts';
import { type PassedOn, passOn, type Report } from '../request/outcome.ts';
import { decodeRequest, newStageLog, type Request } from '../request/request.ts';
import { excessOf } from '../request/request-limits.ts';
import { inlineReferences, requestOwner, storeLarge } from '../request/result-files.ts';
import { retryDelay, type Stage } from '../stage/stage.ts';
import { sleep } from '../time/clock.ts';
import type { CancelledWork } from './cancelled-work.ts';
import { giveBack, mayGiveBack, ownAttempts } from './give-back.ts';
import type { WorkerFailure } from './journal-rows.ts';
import { recordFailed } from './record-failed.ts';
import type { WorkerParts } from './worker-parts.ts';

/** How often a waiting message checks for space on the disk. */
const roomMs = 500;

export interface Serving {
  parts: WorkerParts;
  workerId: string;
  stage: Stage;
  runner: Runner;
  cancelled: CancelledWork;
  /** Aborts when the worker must stop at once. */
  signal: AbortSignal;
  /** Aborts when the worker goes to another stage: messages that only wait for space return to the queue. */
  leaving: AbortSignal;
  /** `next` is the next stage of the request; undefined if it is finished. */
  onProcessed(stage: string, durationMs: number, next: string | undefined): void;
  /** An attempt at a request failed, whether it is retried or not. */
  onFailed(failure: Omit<WorkerFailure, 'at'>): void;
  /** The stage's processor could not be loaded for this request. */
  onNotLoaded(reason: string): void;
}

/**
 * Serves one message of a stage's queue: processes it, passes it on according to the outcome table, and acks it only when
 * that is durable. A message may be served twice, which is harmless, but it is never skipped.
 */
export async function serveRequest(serving: Serving, delivery: Delivery): Promise<void> {
  const { parts, stage } = serving;
  let request: Request;
  try {
    request = decodeRequest(delivery.body);
  } catch (error) {
    serving.onFailed({
      stage: stage.name,
      uuid: delivery.id,
      owner: '',
      attempt: delivery.attempt,
      reason: messageOf(error),
    });
    await delivery.deadLetter(messageOf(error));
    return;
  }
  if (!(await hasRoom(serving))) return delivery.release();
  const startedAt = parts.clock.now();
  const report = (status: 'OK' | 'Failed', log: string): Report => ({
    hostId: serving.workerId,
    stage: stage.name,
    version: stage.version,
    attempt: delivery.attempt,
    startedAt,
    endedAt: parts.clock.now(),
    status,
    log: earlierAttempts(delivery) + log,
  });

  if (request.processingStages[0] !== stage.name) {
    const waitsFor = request.processingStages[0];
    const log = `arrived in the queue of stage ${stage.name}, but waits for ${waitsFor}; it was not processed`;
    return passOnAndAck(serving, delivery, request, report('Failed', log));
  }

  const { uuid, results } = request;
  const owned = new Set(results.map((file) => file.blob));
  const cancellation = serving.cancelled.begin(request);
  const isCancelled = () => cancellation.signal.aborted;
  if (isCancelled()) {
    cancellation.end();
    return passOnAndAck(serving, delivery, request, report('Failed', cancelledLog));
  }
  const result = await serving.runner
    .run({
      uuid,
      owner: request.owner,
      attempt: delivery.attempt,
      files: results,
      signal: AbortSignal.any([serving.signal, cancellation.signal]),
    })
    .finally(cancellation.end);
  // Even if it failed by itself at the same moment, because it must not be retried.
  if (!result.ok && isCancelled()) {
    return passOnAndAck(serving, delivery, request, report('Failed', `${result.log}${cancelledLog}`));
  }
  if (!result.ok && result.notLoaded) {
    if (!result.aborted) serving.onNotLoaded(result.reason);
    return delivery.release();
  }
  if (!result.ok && result.wrongWorker && !result.aborted && mayGiveBack(delivery))
    return giveBack(delivery, result.reason);
  // The last name is the output queue, so a request with only two names is finished here.
  const next = request.processingStages.length > 2 ? request.processingStages[1] : undefined;
  serving.onProcessed(stage.name, parts.clock.now() - startedAt, next);
  if (result.ok) {
    const excess = excessOf({ ...request, results: result.files });
    if (excess !== undefined) {
      const reason = `the request can't go on: after this stage ${excess}`;
      const { attempt } = delivery;
      serving.onFailed({ stage: stage.name, uuid, owner: request.owner, attempt, reason });
      const log = `${result.log}${reason}`;
      return passOnAndAck(serving, delivery, request, report('Failed', log));
    }
    request.results = result.files;
    return passOnAndAck(serving, delivery, request, report('OK', result.log), owned);
  }
  // The request is not to blame for a full disk.
  if (result.aborted || parts.disk.isShort) return delivery.release();
  const attempt = ownAttempts(delivery);
  serving.onFailed({ stage: stage.name, uuid, owner: request.owner, attempt, reason: result.reason });
  if (!result.permanent && !result.wrongWorker && attempt < stage.retry.attempts) {
    const delayMs = retryDelay(stage.retry, attempt, parts.random);
    return delivery.retry({ delayMs, reason: result.reason });
  }
  return passOnAndAck(serving, delivery, request, report('Failed', result.log));
}

/** Results need disk space: while it is short, the message waits. False if the worker must leave meanwhile. */
async function hasRoom({ parts, signal, leaving }: Serving): Promise<boolean> {
  const gone = AbortSignal.any([signal, leaving]);
  while (parts.disk.isShort && !gone.aborted) await sleep(parts.clock, roomMs, gone);
  return !gone.aborted;
}

async function passOnAndAck(
  serving: Serving,
  delivery: Delivery,
  request: Request,
  report: Report,
  owned: ReadonlySet<string> = new Set(request.results.map((file) => file.blob)),
): Promise<void> {
  const { cancelled, parts, signal, leaving } = serving;
  // Passing on changes the request, so each attempt starts from the processor's result.
  const original = request.processingStages;
  const logs = request.logs.length;
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 5_000)) {
    try {
      await prepareFiles(parts, request, report, owned);
      const passed = await passOn(parts.broker, request, report, async () => {
        if (!request.acceptsReferences) await inlineReferences(parts.blobs, request);
      });
      // Nobody waits for a cancelled request without an output queue.
      const isDropped = passed.to === 'dead' && cancelled.has(request);
      const isFailed = passed.to === 'dead' || (passed.to === 'output' && hasFailed(request));
      if (isFailed && !cancelled.has(request))
        await recordFailed(parts, request, passed, { delivery, stage: report.stage, stages: original });
      if (passed.to === 'dead' && !isDropped) await delivery.deadLetter(passed.reason);
      // Not awaited: after a lost ack, the message only comes again.
      else
        void delivery
          .ack()
          .catch((error: unknown) => parts.log.warn({ error: messageOf(error) }, 'ack failed'));
      emitProcessed(serving, request, report, passed);
      // These blobs are no longer needed: the request ended here, or its results were sent inline.
      const inline =
        !request.acceptsReferences && passed.to !== 'dead' && request.processingStages.length === 1;
      const hasEnded = passed.to === 'end' || isDropped;
      if (request.ownsBlobs && (hasEnded || inline)) await disownBlobs(parts, request);
      if (hasEnded) await endRequests(parts.database.query, [request]).catch(() => {});
      return;
    } catch (error) {
      request.processingStages = original;
      request.logs.length = logs;
      if (hasCode(error, 'message-too-large') || hasCode(error, 'blob-missing')) {
        const log = `${report.log}the results cannot be passed on: ${error.message}`;
        if (report.status === 'Failed') {
          const reason = log.slice(-2_000);
          request.logs.push(newStageLog({ ...report, log }));
          const of = { delivery, stage: report.stage, stages: original };
          await recordFailed(parts, request, { to: 'dead', reason }, of);
          return delivery.deadLetter(reason);
        }
        return passOnAndAck(serving, delivery, decodeRequest(delivery.body), {
          ...report,
          status: 'Failed',
          log,
        });
      }
      const isBlocked = (['queue-full', 'queue-broken', 'disk-full'] as const).some((code) =>
        hasCode(error, code),
      );
      if (!isBlocked) throw error;
      if (report.status === 'OK' && cancelled.has(request)) {
        const log = `${report.log}${cancelledLog}`;
        return passOnAndAck(serving, delivery, decodeRequest(delivery.body), {
          ...report,
          status: 'Failed',
          log,
        });
      }
      // The next queue or the disk is full, or unavailable: holding our slot is the back-pressure that finally reaches the producers.
      await sleep(parts.clock, pauseMs, AbortSignal.any([signal, leaving]));
      // This worker may be needed to free space there: then it must not wait here.
      if (signal.aborted || leaving.aborted) return delivery.release();
    }
  }
}

function hasFailed({ logs }: Request): boolean {
  return logs.at(-1)?.status === 'Failed';
}

/** Large results are sent by reference, unless the next stop is the output queue of a producer that doesn't know references. */
async function prepareFiles(
  parts: WorkerParts,
  request: Request,
  report: Report,
  owned: ReadonlySet<string>,
): Promise<void> {
  const toOutput = report.status === 'Failed' || request.processingStages.length <= 2;
  const isInline = toOutput && !request.acceptsReferences;
  if (!isInline) await storeLarge(parts, request, owned);
  if (parts.clock.now() - report.startedAt > settlingMs) await checkStored(parts, request, owned);
  if (isInline) await inlineReferences(parts.blobs, request);
}

/**
 * Blobs that a long run stored in its first minutes may be erased before they have an owner, if another request releases
 * the same bytes at that moment. A retry stores them again.
 */
async function checkStored(
  { blobs }: WorkerParts,
  request: Request,
  owned: ReadonlySet<string>,
): Promise<void> {
  for (const { name, blob } of request.results) {
    if (blob === '' || owned.has(blob) || (await blobs.has(blob))) continue;
    throw new PismakError(
      'unavailable',
      `${name} was erased while the request was processed; it will be retried`,
    );
  }
}

async function disownBlobs(parts: WorkerParts, request: Request): Promise<void> {
  try {
    await disown(parts.database.query, requestOwner(request));
  } catch (error) {
    parts.log.warn(
      { error: messageOf(error), uuid: request.uuid },
      'blobs of a finished request could not be released',
    );
  }
}

function emitProcessed(
  { parts, workerId }: Serving,
  request: Request,
  report: Report,
  passed: PassedOn,
): void {
  const { startedAt, endedAt } = report;
  // The stage may have succeeded although the request failed: its next queue does not exist.
  const status = passed.to === 'dead' ? 'Failed' : (request.logs.at(-1)?.status ?? report.status);
  parts.events.emit({
    kind: 'request.processed',
    entity: report.stage,
    user: request.owner,
    at: endedAt,
    dimensions: { worker: workerId, ms: endedAt - startedAt, status, outcome: passed.to, uuid: request.uuid },
  });
}

/** In characters. The latest attempts are the most informative. */
const longestHistory = 32 * 1024;

function earlierAttempts(delivery: Delivery): string {
  const lines = delivery.history.map(({ attempt, reason }) => `attempt ${attempt} failed: ${reason}\n`);
  return lines.join('').slice(-longestHistory);
}
