import type { Clock } from '../time/clock.ts';
import { type StageVersion, stageKey } from './host-protocol.ts';
import type { ProcessSource } from './process-source.ts';
import type { StageCode } from './stage-code.ts';
import { WorkerProcesses } from './worker-processes.ts';

/** Stages are checked one after another; a stage that takes longer than this to load no longer holds up the next. */
const patienceMs = 2_000;
const idleMs = 500;

/**
 * Checks whether stages can be loaded before there is a message for them, so that an administrator soon learns of a broken
 * stage. Each version is checked once for all workers of this Pismak process, in a process that exits afterwards.
 */
export class LoadCheck {
  readonly #source: ProcessSource;
  readonly #newProcesses: () => WorkerProcesses;
  #processes: WorkerProcesses;
  readonly #known = new Map<string, Promise<void>>();

  constructor(parts: { source: ProcessSource; clock: Clock }) {
    this.#source = parts.source;
    this.#newProcesses = () => new WorkerProcesses({ ...parts, keepLoaded: 1, idleMs, most: 16, patienceMs });
    this.#processes = this.#newProcesses();
  }

  /** Rejects if the stage can't be loaded. The next call then tries again. */
  check(code: StageCode): Promise<void> {
    const key = stageKey(code.stage);
    const known = this.#known.get(key);
    if (known) return known;
    this.#source.expect(code.stage);
    const checking = this.#load(code);
    this.#known.set(key, checking);
    checking.catch(() => this.doubt(code.stage));
    return checking;
  }

  /** Records that the stage was loaded elsewhere. */
  confirm(stage: StageVersion): void {
    this.#known.set(stageKey(stage), Promise.resolve());
  }

  /** Records that the stage failed to load again, or failed without a message. */
  doubt(stage: StageVersion): void {
    this.#known.delete(stageKey(stage));
  }

  /** Ends running checks; new checks may be requested afterwards. */
  async close(): Promise<void> {
    const processes = this.#processes;
    this.#processes = this.#newProcesses();
    await processes.close();
  }

  async #load(code: StageCode): Promise<void> {
    const processes = this.#processes;
    const host = await processes.borrow(code);
    host.unload(code.stage);
    processes.giveBack(host, code.stage);
  }
}
