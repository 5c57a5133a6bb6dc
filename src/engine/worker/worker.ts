import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Coordination } from '../coordination/coordination.ts';
import { hasCode, messageOf } from '../errors.ts';
import { newId } from '../identity.ts';
import { QuietWarnings } from '../log/quiet-warnings.ts';
import { WorkerProcesses } from '../processor/worker-processes.ts';
import type { Stage } from '../stage/stage.ts';
import { sleep } from '../time/clock.ts';
import { endsWithin } from '../time/deadline.ts';
import { CancelledWork } from './cancelled-work.ts';
import { createCommonProcesses } from './common-processes.ts';
import { createRunner } from './create-runner.ts';
import { FailedLoads } from './failed-loads.ts';
import { Offers } from './offers.ts';
import { PresenceReport } from './presence.ts';
import { ownLife } from './process-life.ts';
import { RunnerCache } from './runner-cache.ts';
import { Slot } from './slot.ts';
import { Timings } from './timings.ts';
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
 * the stages; its slots change what they serve between two messages. Its states:
 *
 * - *starting*: it opens a session and claims its presence, which another process of the same id may still have;
 * - *following*: each change of record, stages or servers is applied after the one before;
 * - *reconnecting* when the session is lost: its slots go on meanwhile, and it claims its presence again with a new session;
 * - *draining* when `close` is called: slots take nothing new, running requests may finish, and are aborted when that takes too
 *   long (they are released, not charged);
 * - *closed*: the presence is deleted, and the record says that it left in good order.
 */
export class Worker {
  readonly id: string;
  readonly #parts: WorkerParts;
  readonly #labels: readonly string[];
  readonly #log: Logger;
  readonly #warnings: QuietWarnings;
  readonly #startedAt: number;
  readonly #timings = new Timings();
  readonly #cache: RunnerCache;
  readonly #processes: { exclusive: WorkerProcesses; shared: WorkerProcesses };
  #closeOwn = async () => {};
  readonly #cancelled: CancelledWork;
  readonly #presence: PresenceReport;
  readonly #exclusive: Slot;
  readonly #shared = new Map<string, Slot>();
  /** Stops the running jobs; used only when draining takes too long. */
  readonly #killing = new AbortController();
  readonly #definitions = new Map<string, Stage>();
  readonly #failedLoads: FailedLoads;
  readonly #offers: Offers;
  #session: Coordination | undefined;
  #unwatch = () => {};
  #record: WorkerRecord | undefined;
  #versions = new Map<string, number>();
  #following: Promise<void> = Promise.resolve();
  readonly #life: string;
  /** Aborts when `close` begins. */
  readonly #stopping = new AbortController();
  #reconnecting: Promise<void> = Promise.resolve();

  /** Workers with the same `life` are one: the later may take the presence of the earlier. Default: alone. */
  constructor(parts: WorkerParts, options: { id: string; labels: readonly string[]; life?: string }) {
    this.#parts = parts;
    this.#life = options.life ?? newId(parts.clock);
    this.id = options.id;
    this.#labels = options.labels;
    this.#log = parts.log.child({ worker: options.id });
    this.#warnings = new QuietWarnings(this.#log, parts.clock);
    this.#startedAt = parts.clock.now();
    this.#failedLoads = new FailedLoads(parts.clock);
    const commonProcesses = parts.commonProcesses ?? createCommonProcesses(parts);
    if (!parts.commonProcesses) this.#closeOwn = () => commonProcesses.close();
    this.#cancelled = parts.cancelledWork ?? new CancelledWork(parts);
    const { source, loadCheck } = commonProcesses;
    const { keepLoaded, idleProcessMs: idleMs, sharedProcesses: most } = parts.settings.worker;
    const common = { source, clock: parts.clock, keepLoaded, idleMs };
    // Separate, so that a shared stage never takes the process of an exclusive one, with the model loaded in it.
    this.#processes = {
      exclusive: new WorkerProcesses(common),
      shared: new WorkerProcesses({ ...common, most }),
    };
    this.#cache = new RunnerCache({
      keep: keepLoaded,
      create: (stage) => {
        source.expect(stage);
        return createRunner(parts, stage, { processes: this.#processes[stage.mode], loadCheck });
      },
    });
    this.#presence = new PresenceReport({
      clock: parts.clock,
      heartbeatMs: parts.settings.worker.heartbeatMs,
      describe: () => this.#describe(),
      onError: (error) => this.#warnings.warn('presence not reported', error),
      onReported: () => this.#warnings.end(),
    });
    this.#offers = new Offers(parts.processors, {
      onChange: () => this.#presence.soon(),
      onError: (error) => this.#warnings.warn('what a stage can do here is unknown', error),
    });
    this.#exclusive = this.#newSlot();
  }

  /** Registers the worker and begins to serve. Rejects when a worker of this name is alive. */
  async start(): Promise<void> {
    await this.#connect();
    this.#log.info({ labels: this.#labels }, 'worker started');
  }

  /** Finishes the messages in progress (for as long as the settings allow), then signs off. */
  async close(): Promise<void> {
    if (this.#stopped) return;
    this.#stopping.abort();
    const { clock, settings } = this.#parts;
    const cancel = clock.after(settings.worker.drainMs, () => this.#killing.abort());
    this.#unwatch();
    // It may wait for absent servers.
    await endsWithin(clock, leaveMs, this.#reconnecting);
    // A session opened in the meantime has its own watches.
    this.#unwatch();
    await this.#following;
    await Promise.all([this.#exclusive, ...this.#shared.values()].map((slot) => slot.close()));
    cancel();
    await this.#cache.close();
    await Promise.all([this.#processes.exclusive.close(), this.#processes.shared.close()]);
    await this.#closeOwn();
    if (!this.#parts.cancelledWork) this.#cancelled.close();
    if (await endsWithin(clock, signOffMs, this.#signOff())) this.#log.info('worker stopped');
    else this.#log.warn('worker stopped, but it could not sign off: the coordination does not answer');
  }

  async #signOff(): Promise<void> {
    await this.#presence.end();
    const session = this.#session;
    if (!session || session.lost.aborted) return;
    const leftAt = this.#parts.clock.now();
    await changeWorker(session, this.id, (record) => ({ ...record, leftAt })).catch((error: unknown) =>
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
      // The worker ran before: it keeps its old assignment.
      await changeWorker(session, this.id, (before) => ({ ...before, ...identity }));
    }
  }

  /** Aims the slots at what should be served now. Calls queue up behind each other. */
  #follow(): void {
    this.#following = this.#following.then(async () => {
      if (this.#stopped) return;
      try {
        await this.#aim();
      } catch (error) {
        this.#log.error({ error: messageOf(error) }, 'the stages could not be read; trying again');
        this.#parts.clock.after(retryMs, () => this.#follow());
      }
    });
  }

  async #aim(): Promise<void> {
    const record = this.#record;
    const able: Stage[] = [];
    for (const [name, version] of record?.enabled ? this.#versions : []) {
      const stage = await this.#definition(name, version);
      if (stage?.labels.every((label) => this.#labels.includes(label))) able.push(stage);
    }
    this.#offers.follow(able);
    this.#exclusive.aim(
      able.find((stage) => stage.mode === 'exclusive' && stage.name === record?.stage) ?? null,
    );
    const shared = new Map(
      able.filter((stage) => stage.mode === 'shared').map((stage) => [stage.name, stage]),
    );
    for (const name of shared.keys()) if (!this.#shared.has(name)) this.#shared.set(name, this.#newSlot());
    for (const [name, slot] of this.#shared) slot.aim(shared.get(name) ?? null);
    await this.#noteFailure();
  }

  async #definition(name: string, version: number): Promise<Stage | undefined> {
    const known = this.#definitions.get(name);
    if (known && known.version >= version) return known;
    try {
      const stage = await this.#parts.stages.get(name);
      this.#definitions.set(name, stage);
      return stage;
    } catch (error) {
      // Deleted after the watch reported it: the watch will report the deletion too.
      if (hasCode(error, 'stage-unknown')) return undefined;
      throw error;
    }
  }

  /** The reason for a failure stays in the record, so that it can be read after the worker is gone. */
  async #noteFailure(): Promise<void> {
    const failed = [this.#exclusive, ...this.#shared.values()].find((slot) => slot.failure)?.failure;
    const failure = failed ? `stage ${failed.stage}: ${failed.reason}` : null;
    const session = this.#session;
    if (!session || this.#record?.failure === failure || this.#stopped) return;
    await changeWorker(session, this.id, (record) =>
      record.failure === failure ? undefined : { ...record, failure },
    );
  }

  #newSlot(): Slot {
    const signal = this.#killing.signal;
    const onProcessed = (stage: string, ms: number, next: string | undefined) =>
      this.#timings.add(stage, ms, next);
    const onLoad = (stage: Stage, reason: string | undefined) => this.#failedLoads.note(stage, reason);
    const serving = {
      parts: this.#parts,
      workerId: this.id,
      cancelled: this.#cancelled,
      signal,
      onProcessed,
    };
    return new Slot({
      serving,
      cache: this.#cache,
      onLoad,
      onChange: () => {
        this.#presence.soon();
        this.#noteFailure().catch((error: unknown) =>
          this.#log.warn({ error: messageOf(error) }, 'failure not recorded'),
        );
      },
    });
  }

  #describe(): WorkerPresence {
    const slots = [this.#exclusive, ...this.#shared.values()];
    const inFlight = slots.reduce((sum, slot) => sum + slot.inFlight, 0);
    const stage = this.#exclusive.stage;
    return {
      id: this.id,
      pid: process.pid,
      host: hostname(),
      process: ownLife(),
      life: this.#life,
      state: this.#state(slots),
      stage: stage?.name ?? null,
      stageVersion: stage?.version ?? 0,
      inFlight,
      inFlightOfStage: this.#exclusive.inFlight,
      busySince: this.#exclusive.busySince,
      loaded: this.#cache.loaded(),
      startedAt: this.#startedAt,
      heartbeatAt: this.#parts.clock.now(),
      timings: this.#timings.toJSON(),
      unable: this.#failedLoads.unable(this.#versions),
      failedLoads: this.#failedLoads.counts(this.#versions),
      offers: this.#offers.now(),
      switchMs: this.#exclusive.switchMs,
      coldMs: this.#exclusive.coldMs,
      warmMs: this.#exclusive.warmMs,
      ...(this.#exclusive.lastSwitch ? { lastSwitch: this.#exclusive.lastSwitch } : {}),
    };
  }

  #state(slots: Slot[]): WorkerPresence['state'] {
    if (!this.#session) return 'STARTING';
    // The record shows a failed shared stage, but the watchdog must still plan with this worker.
    if (this.#exclusive.failure) return 'FAILED';
    if (this.#exclusive.moving) return 'RECONFIGURING';
    return slots.some((slot) => slot.inFlight > 0) ? 'PROCESSING' : 'IDLE';
  }
}
