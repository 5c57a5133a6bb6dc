import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Coordination } from '../coordination/coordination.ts';
import { hasCode, messageOf } from '../ground/errors.ts';
import { newId } from '../ground/identity.ts';
import { QuietWarnings } from '../log/quiet-warnings.ts';
import { sleep } from '../time/clock.ts';
import { endsWithin } from '../time/deadline.ts';
import { CancelledWork } from './cancelled-work.ts';
import { createCommonProcesses } from './common-processes.ts';
import { Journal } from './journal.ts';
import { PresenceReport } from './presence.ts';
import { ownLife } from './process-life.ts';
import { ServedStages } from './served-stages.ts';
import type { WorkerParts } from './worker-parts.ts';
import {
  changeWorker,
  parseRecord,
  type WorkerPresence,
  type WorkerRecord,
  workersPath,
} from './worker-record.ts';

/** How long to wait before stages that could not be read are read again. */
const retryMs = 5_000;

/** How long a stopping worker waits for a session that is just being opened. */
const leaveMs = 1_000;

/** How long it tries to tell the coordination that it leaves. */
const signOffMs = 5_000;

/** How long to wait before a lost coordination session is replaced again. */
const reconnectMs = 1_000;

/**
 * Serves the exclusive stage that its record names, and all shared stages. It follows the record and the versions of
 * the stages; its stage servers change what they serve between two messages. Its states:
 *
 * - *starting*: it opens a session and claims its presence, which another process of the same id may still have;
 * - *following*: each change of record, stages or servers is applied after the one before;
 * - *reconnecting* when the session is lost: its stage servers go on meanwhile, and it claims its presence again with a new session;
 * - *draining* when `close` is called, also by `onStop` when its record tells it to stop: it takes nothing new, running requests may finish, and are aborted when that takes too
 *   long (they are released, not charged);
 * - *closed*: the presence is deleted, and the record says that it left in good order.
 */
export class Worker {
  readonly id: string;
  readonly #parts: WorkerParts;
  readonly #labels: readonly string[];
  readonly #journal: Journal;
  readonly #log: Logger;
  readonly #warnings: QuietWarnings;
  readonly #startedAt: number;
  #closeOwn = async () => {};
  readonly #cancelled: CancelledWork;
  readonly #presence: PresenceReport;
  readonly #served: ServedStages;
  #session: Coordination | undefined;
  #unwatch = () => {};
  #record: WorkerRecord | undefined;
  #versions = new Map<string, number>();
  #following: Promise<void> = Promise.resolve();
  readonly #life: string;
  readonly #onStop: () => void;
  /** Aborts when `close` begins. */
  readonly #stopping = new AbortController();
  #closing: Promise<void> | undefined;
  #reconnecting: Promise<void> = Promise.resolve();

  /**
   * Workers with the same `life` are one: the later may take the presence of the earlier. Default: alone. `onStop` is called
   * when somebody has told this worker to stop; it should close the worker.
   */
  constructor(
    parts: WorkerParts,
    options: { id: string; labels: readonly string[]; life?: string; onStop?(): void },
  ) {
    this.#parts = parts;
    this.#onStop = () => options.onStop?.();
    this.#life = options.life ?? newId(parts.clock);
    this.id = options.id;
    this.#labels = options.labels;
    this.#journal = new Journal(parts, options.id);
    this.#log = this.#journal.log;
    this.#warnings = new QuietWarnings(this.#log, parts.clock);
    this.#startedAt = parts.clock.now();
    const commonProcesses = parts.commonProcesses ?? createCommonProcesses(parts);
    if (!parts.commonProcesses) this.#closeOwn = () => commonProcesses.close();
    this.#cancelled = parts.cancelledWork ?? new CancelledWork(parts);
    this.#presence = new PresenceReport({
      clock: parts.clock,
      heartbeatMs: parts.settings.worker.heartbeatMs,
      describe: () => this.#describe(),
      onError: (error) => this.#warnings.warn('presence not reported', error),
      onReported: () => this.#warnings.end(),
    });
    this.#served = new ServedStages(
      { ...parts, log: this.#log },
      {
        workerId: options.id,
        labels: options.labels,
        commonProcesses,
        cancelled: this.#cancelled,
        onFailed: (failure) => this.#journal.failed(failure),
        onReport: () => this.#presence.soon(),
        onChange: () => {
          this.#presence.soon();
          this.#noteFailure().catch((error: unknown) =>
            this.#log.warn({ error: messageOf(error) }, 'failure not recorded'),
          );
        },
      },
    );
  }

  /** Registers the worker and begins to serve. Rejects when a worker of this name is alive. */
  async start(): Promise<void> {
    await this.#connect();
    this.#log.info({ labels: this.#labels }, 'worker started');
  }

  /** Finishes the messages in progress (for as long as the settings allow), then signs off. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopping.abort();
    const { clock, settings } = this.#parts;
    const cancel = clock.after(settings.worker.drainMs, () => this.#served.kill());
    this.#unwatch();
    // It may wait for absent servers.
    await endsWithin(clock, leaveMs, this.#reconnecting);
    // A session opened in the meantime has its own watches.
    this.#unwatch();
    await this.#following;
    await this.#served.drain();
    cancel();
    await this.#served.close();
    await this.#closeOwn();
    if (!this.#parts.cancelledWork) this.#cancelled.close();
    if (await endsWithin(clock, signOffMs, this.#signOff())) this.#log.info('worker stopped');
    else this.#log.warn('worker stopped, but it could not sign off: the coordination does not answer');
    await this.#journal.close();
  }

  async #signOff(): Promise<void> {
    await this.#presence.end();
    const session = this.#session;
    if (!session || session.lost.aborted) return;
    const leftAt = this.#parts.clock.now();
    await changeWorker(session, this.id, (record) => ({ ...record, leftAt, stop: null })).catch(
      (error: unknown) =>
        this.#log.warn({ error: messageOf(error) }, 'the clean stop of this worker could not be recorded'),
    );
    await session.close();
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #connect(): Promise<void> {
    const session = await this.#parts.openSession(this.id);
    if (this.#stopped) await session.close();
    try {
      await this.#presence.begin(session, { log: this.#log, signal: this.#stopping.signal });
    } catch (error) {
      await session.close();
      throw error;
    }
    try {
      await this.#register(session);
    } catch (error) {
      // Its presence would block the next attempt.
      await this.#presence.end();
      await session.close();
      throw error;
    }
    this.#session = session;
    const unwatchRecord = session.watch(`${workersPath}/${this.id}`, (node) => {
      if (node) this.#record = parseRecord(node);
      if (this.#record?.stop === this.#life) this.#onStop();
      this.#follow();
    });
    const unwatchStages = this.#parts.stages.watch(session, (versions) => {
      this.#versions = versions;
      this.#follow();
    });
    const unwatchCancelled = this.#cancelled.watch(session);
    const onLost = () => {
      this.#reconnecting = this.#reconnect();
    };
    session.lost.addEventListener('abort', onLost, { once: true });
    this.#unwatch = () => {
      unwatchRecord();
      unwatchStages();
      unwatchCancelled();
      session.lost.removeEventListener('abort', onLost);
    };
  }

  async #reconnect(): Promise<void> {
    this.#unwatch();
    this.#log.warn('coordination session lost, opening another');
    while (!this.#stopped) {
      try {
        await this.#connect();
        return this.#warnings.end();
      } catch (error) {
        if (!this.#stopped) this.#warnings.warn('no coordination session yet', error);
        await sleep(this.#parts.clock, reconnectMs, this.#stopping.signal);
      }
    }
  }

  async #register(session: Coordination): Promise<void> {
    const identity = { host: hostname(), labels: [...this.#labels], failure: null, leftAt: null };
    const registeredAt = this.#parts.clock.now();
    const record = {
      id: this.id,
      stage: null,
      enabled: true,
      pinned: false,
      unlockAt: 0,
      registeredAt,
      ...identity,
    };
    try {
      await session.create(`${workersPath}/${this.id}`, JSON.stringify(record satisfies WorkerRecord));
    } catch (error) {
      if (!hasCode(error, 'node-exists')) throw error;
      // The worker ran before: it keeps its old assignment. An order to stop was for its former life, unless only its session was lost.
      await changeWorker(session, this.id, (before) => ({
        ...before,
        ...identity,
        stop: before.stop === this.#life ? this.#life : null,
      }));
    }
  }

  /** Aims the stage servers at what should be served now. Calls queue up behind each other. */
  #follow(): void {
    this.#following = this.#following.then(async () => {
      if (this.#stopped) return;
      try {
        await this.#served.aim(this.#record, this.#versions);
        await this.#noteFailure();
      } catch (error) {
        this.#log.error({ error: messageOf(error) }, 'the stages could not be read; trying again');
        this.#parts.clock.after(retryMs, () => this.#follow());
      }
    });
  }

  /** The reason for a failure stays in the record, so that it can be read after the worker is gone. */
  async #noteFailure(): Promise<void> {
    const { failure } = this.#served;
    const session = this.#session;
    if (!session || this.#record?.failure === failure || this.#stopped) return;
    await changeWorker(session, this.id, (record) =>
      record.failure === failure ? undefined : { ...record, failure },
    );
  }

  #describe(): WorkerPresence {
    const { state, ...served } = this.#served.report(this.#versions);
    return {
      id: this.id,
      pid: process.pid,
      host: hostname(),
      process: ownLife(),
      life: this.#life,
      state: this.#session ? state : 'STARTING',
      startedAt: this.#startedAt,
      heartbeatAt: this.#parts.clock.now(),
      ...served,
    };
  }
}
