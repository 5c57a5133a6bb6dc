import { disown, disownOne } from '../../engine/blob-owners/blob-owners.ts';
import { readBlob } from '../../engine/blobs/blobs.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { admit, takeBack } from '../../engine/request/admit.ts';
import { endRequests } from '../../engine/request/open-requests.ts';
import { decodeRequest, newFile, newRequest, type Request } from '../../engine/request/request.ts';
import { requestItem } from '../../engine/request/request-item.ts';
import { requestOwner, storeLarge } from '../../engine/request/result-files.ts';
import { contentOf } from '../../engine/results/stored-files.ts';
import { hasFailed } from '../../engine/results/timing.ts';
import { type Running, runService } from '../../engine/service/service.ts';
import { sleep } from '../../engine/time/clock.ts';
import { readDefinition } from '../crawl/options.ts';
import { robotDatabase, type ScanRow } from '../database/tables.ts';
import { SegmentBuffer } from '../segments/segment-buffer.ts';
import { addSegment, segmentOwner } from '../segments/segment-list.ts';
import type { CorpusDocument } from '../text/corpus/document.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { scanQueue } from './scan-list.ts';

const lookMs = 2_000;
/** Maximum number of pages under way; the rest wait in the table, so that they don't delay other work of the owner. */
const mostSent = 100;
const retryMs = 60_000;
const mostAttempts = 50;

/**
 * Sends pages without text through the pipeline that their crawl names, and stores the results as documents. It assumes only that
 * the pipeline results in a file `*.txt`. A scan is `new` until it is sent, `sent` until its result is stored, and then its row is deleted.
 */
export async function runScans(engine: Engine): Promise<Running> {
  const { broker, clock, log } = engine;
  await engine.pipelines.claimOutput(scanQueue);
  const sender = runService({
    name: 'robot.scans',
    openSession: engine.openSession,
    clock,
    log,
    async run({ signal }) {
      while (!signal.aborted) {
        await sendSome(engine, signal);
        await sleep(clock, lookMs, signal);
      }
    },
  });
  const collector = await broker.consume(scanQueue, { concurrency: 2 }, async (delivery) => {
    try {
      await take(engine, decodeRequest(delivery.body));
    } catch (error) {
      log.warn(
        { err: error },
        'robot: the text of a scanned page could not be stored; it will be tried again',
      );
      if (delivery.attempt >= mostAttempts) return delivery.deadLetter(messageOf(error));
      return delivery.retry({ delayMs: 1_000, reason: messageOf(error) });
    }
    await delivery.ack();
  });
  return {
    async close() {
      await Promise.all([sender.close(), collector.close()]);
    },
  };
}

async function sendSome(engine: Engine, signal: AbortSignal): Promise<void> {
  const { query } = robotDatabase(engine);
  const now = engine.clock.now();
  const waiting = await query
    .selectFrom('robot_scan')
    .selectAll()
    .where('state', '=', 'new')
    .where('notBefore', '<=', now)
    .orderBy('notBefore')
    .orderBy('uuid')
    .limit(20)
    .execute();
  if (waiting.length === 0) return;
  const { count } = await query
    .selectFrom('robot_scan')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', 'sent')
    .executeTakeFirstOrThrow();
  for (const row of waiting.slice(0, Math.max(0, mostSent - Number(count)))) {
    if (signal.aborted) return;
    try {
      await send(engine, row);
      await query.updateTable('robot_scan').set({ state: 'sent' }).where('uuid', '=', row.uuid).execute();
    } catch (error) {
      // The pipeline was deleted, or the owner has reached a limit.
      engine.log.warn(
        { err: error, pipeline: row.pipeline },
        'robot: a scanned page could not be sent to its pipeline; it waits',
      );
      const notBefore = now + retryMs;
      await query.updateTable('robot_scan').set({ notBefore }).where('uuid', '=', row.uuid).execute();
    }
  }
}

async function send(engine: Engine, { uuid, pipeline, owner, blob }: ScanRow): Promise<void> {
  const found = await engine.pipelines.find(pipeline, { owner, role: 'user' });
  if (!found) throw new PismakError('not-found', `there is no pipeline ${pipeline}`);
  const stages = [...found.stages.slice(0, -1), scanQueue];
  const files = [newFile('page.jpg', await readBlob(engine.blobs, blob))];
  const startedAt = engine.clock.now();
  const request = newRequest({ uuid, owner, stages, files, startedAt, pipeline: found.name });
  await admit(engine, request);
  try {
    await storeLarge(engine, request);
    await engine.backlog.send(requestItem(request, { batch: `request/${uuid}` }));
  } catch (error) {
    await takeBack(engine, request);
    throw error;
  }
}

/** Stores the text of a page as a document. A message that is delivered twice changes nothing the second time. */
async function take(engine: Engine, request: Request): Promise<void> {
  const database = robotDatabase(engine);
  const row = await database.query
    .selectFrom('robot_scan')
    .innerJoin('robot_crawl', 'robot_crawl.number', 'robot_scan.crawl')
    .selectAll('robot_scan')
    .select('robot_crawl.options')
    .where('uuid', '=', request.uuid)
    .executeTakeFirst();
  if (row && hasFailed(request))
    engine.log.warn(
      { pipeline: row.pipeline, page: row.page, reason: request.logs.at(-1)?.log },
      'robot: the pipeline could not read a scanned page; it has no text',
    );
  const segment = row && !hasFailed(request) ? await segmentOf(engine, row, request) : undefined;
  const stored = segment ? await engine.blobs.put(segment.content) : undefined;
  await database.transaction(async (transaction) => {
    if (!row) return;
    const crawl = Number(row.crawl);
    const removed = await transaction
      .deleteFrom('robot_scan')
      .where('uuid', '=', row.uuid)
      .returning('uuid')
      .execute();
    // All blank pages are the same blob.
    const other = await transaction
      .selectFrom('robot_scan')
      .select('uuid')
      .where('crawl', '=', crawl)
      .where('blob', '=', row.blob)
      .limit(1)
      .execute();
    if (other.length === 0) await disownOne(transaction, row.blob, segmentOwner(crawl));
    if (removed.length === 0 || !segment || !stored) return;
    await addSegment(database, transaction, {
      crawl,
      blob: stored,
      parts: segment.parts,
      pages: 1,
      now: engine.clock.now(),
    });
  });
  await disown(database.query, requestOwner(request));
  await endRequests(database.query, [request]);
}

async function segmentOf({ blobs }: Engine, row: ScanRow & { options: string }, request: Request) {
  const file = request.results.findLast(({ name }) => name.endsWith('.txt'));
  if (!file) return undefined;
  const { segment } = await import('../text/segment/segment.ts');
  const text = Buffer.from(await contentOf(blobs, file))
    .toString('utf8')
    .replaceAll('\0', '')
    .trim();
  const known = JSON.parse(row.document) as CorpusDocument;
  const { language: languages, encoding } = readDefinition(row.options);
  const buffer = new SegmentBuffer(encoding);
  const { url, finalUrl = url } = known;
  buffer.addDocument(
    {
      ...known,
      ...segment(text, { languages }),
      text,
      url: `${url}#page=${row.page}`,
      finalUrl: `${finalUrl}#page=${row.page}`,
      readBy: row.pipeline,
    },
    fingerprint(text),
  );
  return buffer.seal();
}
