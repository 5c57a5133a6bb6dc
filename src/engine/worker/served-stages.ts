import { hasCode, messageOf } from '../ground/errors.ts';
import { WorkerProcesses } from '../processor/worker-processes.ts';
import type { Stage } from '../stage/stage.ts';
import type { CancelledWork } from './cancelled-work.ts';
import type { CommonProcesses } from './common-processes.ts';
import { createRunner } from './create-runner.ts';
import { FailedLoads } from './failed-loads.ts';
import { Offers } from './offers.ts';
import { RunnerCache } from './runner-cache.ts';
import type { Serving } from './serve-request.ts';
import { StageServer } from './stage-server.ts';
import { Timings } from './timings.ts';
import type { WorkerParts } from './worker-parts.ts';
import type { WorkerPresence, WorkerRecord } from './worker-record.ts';

/** What the presence of a worker says of its stages. */
export type ServedReport = Omit<
  WorkerPresence,
  'id' | 'pid' | 'host' | 'process' | 'life' | 'startedAt' | 'heartbeatAt'
>;

/**
 * What one worker serves: a server for its exclusive stage, one for each shared stage, and what they load and run in. `aim` says
 * what they should serve; `drain` lets them finish, `kill` stops the running jobs, `close` ends the processes.
 */
export class ServedStages {
  readonly #parts: WorkerParts;
  readonly #labels: readonly string[];
  readonly #timings = new Timings();
  readonly #cache: RunnerCache;
  readonly #processes: { exclusive: WorkerProcesses; shared: WorkerProcesses };
  readonly #exclusive: StageServer;
  readonly #shared = new Map<string, StageServer>();
  /** Stops the running jobs; used only when draining takes too long. */
  readonly #killing = new AbortController();
  readonly #definitions = new Map<string, Stage>();
  readonly #failedLoads: FailedLoads;
  readonly #offers: Offers;
  readonly #newServer: () => StageServer;

  constructor(
    parts: WorkerParts,
    options: {
      workerId: string;
      labels: readonly string[];
      commonProcesses: CommonProcesses;
      cancelled: CancelledWork;
      /** An attempt at a request failed. */
      onFailed: Serving['onFailed'];
      /** What it offers has changed. */
      onReport(): void;
      /** A stage server has changed. */
      onChange(): void;
    },
  ) {
    this.#parts = parts;
    this.#labels = options.labels;
    this.#failedLoads = new FailedLoads(parts.clock);
    const { source, loadCheck } = options.commonProcesses;
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
    this.#offers = new Offers(parts.processors, {
      onChange: options.onReport,
      onError: (error) => parts.log.warn({ error: messageOf(error) }, 'what a stage can do here is unknown'),
    });
    this.#newServer = () =>
      new StageServer({
        serving: {
          parts,
          workerId: options.workerId,
          cancelled: options.cancelled,
          signal: this.#killing.signal,
          onProcessed: (stage, ms, next) => this.#timings.add(stage, ms, next),
          onFailed: options.onFailed,
        },
        cache: this.#cache,
        onLoad: (stage, reason) => this.#failedLoads.note(stage, reason),
        onChange: options.onChange,
      });
    this.#exclusive = this.#newServer();
  }

  /** Why a stage server failed; null if none has. */
  get failure(): string | null {
    const failed = this.#servers().find((server) => server.failure)?.failure;
    return failed ? `stage ${failed.stage}: ${failed.reason}` : null;
  }

  /** Aims the stage servers at what should be served now. Not called again before it resolves. */
  async aim(record: WorkerRecord | undefined, versions: ReadonlyMap<string, number>): Promise<void> {
    const able: Stage[] = [];
    for (const [name, version] of record?.enabled ? versions : []) {
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
    for (const name of shared.keys()) if (!this.#shared.has(name)) this.#shared.set(name, this.#newServer());
    for (const [name, server] of this.#shared) server.aim(shared.get(name) ?? null);
  }

  /** `versions`: the newest of each stage. A new version may be able to load. */
  report(versions: ReadonlyMap<string, number>): ServedReport {
    const servers = this.#servers();
    const { stage, busySince, switchMs, coldMs, warmMs, lastSwitch } = this.#exclusive;
    return {
      state: this.#state(servers),
      stage: stage?.name ?? null,
      stageVersion: stage?.version ?? 0,
      inFlight: servers.reduce((sum, server) => sum + server.inFlight, 0),
      inFlightOfStage: this.#exclusive.inFlight,
      busySince,
      loaded: this.#cache.loaded(),
      timings: this.#timings.toJSON(),
      unable: this.#failedLoads.unable(versions),
      failedLoads: this.#failedLoads.counts(versions),
      ...this.#offers.now(),
      switchMs,
      coldMs,
      warmMs,
      ...(lastSwitch ? { lastSwitch } : {}),
    };
  }

  /** Resolves when the messages in progress are finished. */
  async drain(): Promise<void> {
    await Promise.all(this.#servers().map((server) => server.close()));
  }

  kill(): void {
    this.#killing.abort();
  }

  async close(): Promise<void> {
    await this.#cache.close();
    await Promise.all([this.#processes.exclusive.close(), this.#processes.shared.close()]);
  }

  #servers(): StageServer[] {
    return [this.#exclusive, ...this.#shared.values()];
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

  #state(servers: readonly StageServer[]): WorkerPresence['state'] {
    // The record shows a failed shared stage, but the watchdog must still plan with this worker.
    if (this.#exclusive.failure) return 'FAILED';
    if (this.#exclusive.moving) return 'RECONFIGURING';
    return servers.some((server) => server.inFlight > 0) ? 'PROCESSING' : 'IDLE';
  }
}
