import { PismakError } from '../ground/errors.ts';
import type { Stage } from '../stage/stage.ts';
import type { Clock } from '../time/clock.ts';
import { ElasticSlots, type Running } from '../turns/elastic-slots.ts';
import type { HostProcess } from './host-process.ts';
import type { ProcessSource } from './process-source.ts';
import type { StageCode } from './stage-code.ts';

interface Waiting {
  stage: Stage;
  owner: string;
  /** Whether it has waited long enough for one more process to be started. */
  isImpatient: boolean;
  go(host: HostProcess): void;
  giveUp(): void;
}

/**
 * The processes in which a worker serves its stages, each one request at a time. A process is *lent* to one request, or *idle*;
 * it starts when there is a message, loads one stage after another, and ends when it has been idle for a while, has used too
 * much memory, or died.
 *
 * A request takes an idle process that has its stage loaded, or else one with room for another stage. If all are busy, it
 * waits a moment before another process is started: bursts of tiny messages need few processes, and a message that takes
 * long (or for ever) blocks no others. When all have long been busy with other owners' work, an owner may have some more.
 */
export class WorkerProcesses {
  readonly #source: ProcessSource;
  readonly #clock: Clock;
  readonly #keepLoaded: number;
  readonly #idleMs: number;
  readonly #most: number | undefined;
  readonly #patienceMs: number;
  readonly #all = new Set<HostProcess>();
  /** In order of use, most recently used last. */
  #idle: HostProcess[] = [];
  readonly #retiring = new WeakMap<HostProcess, () => void>();
  readonly #waiting = new Set<Waiting>();
  readonly #shares: ElasticSlots;
  readonly #borrowed = new Map<HostProcess, Running>();
  /** Stages that need no network. */
  readonly #offline = new Set<string>();
  /** Processes that have been told to end, until their directories are removed. */
  readonly #ending = new Set<Promise<void>>();
  #closed = false;

  constructor(parts: {
    source: ProcessSource;
    clock: Clock;
    /** Stages that one process keeps loaded. */
    keepLoaded: number;
    /** How long a process may be idle. */
    idleMs: number;
    /**
     * Maximum number of processes, unless owners wait behind others' long work: then twice as many. A stage with a higher
     * concurrency may have as many as that. Undefined: as many as requests.
     */
    most?: number;
    patienceMs?: number;
  }) {
    this.#source = parts.source;
    this.#clock = parts.clock;
    this.#keepLoaded = parts.keepLoaded;
    this.#idleMs = parts.idleMs;
    this.#most = parts.most;
    this.#patienceMs = parts.patienceMs ?? 10;
    const slots = parts.most ?? 1;
    this.#shares = new ElasticSlots({ slots, extra: parts.most ?? 0, clock: parts.clock });
    this.#shares.onLong = () => this.#serveWaiting();
  }

  get size(): number {
    return this.#all.size;
  }

  /** Whether a living process has the stage loaded. */
  has(stage: Stage): boolean {
    return [...this.#all].some((host) => host.alive && host.has(stage));
  }

  /** A process with the stage loaded, for one request. Rejects if it can't be loaded, or if the signal aborts first. */
  async borrow(
    code: StageCode,
    { signal, owner = '' }: { signal?: AbortSignal; owner?: string } = {},
  ): Promise<HostProcess> {
    const { stage } = code;
    if (code.network === false) this.#offline.add(stage.name);
    else this.#offline.delete(stage.name);
    const found = this.#hasTurn(stage, owner) ? this.#find(stage) : undefined;
    const host = found ? this.#lend(found, owner) : await this.#turn(stage, owner, signal);
    return this.#load(host, code);
  }

  /** Replaces a process that died or can't be trusted any more. */
  replace(host: HostProcess, code: StageCode): Promise<HostProcess> {
    const owner = this.#returned(host);
    this.#all.delete(host);
    this.#close(host);
    return this.#load(this.#lend(this.#start(code.stage), owner), code);
  }

  giveBack(host: HostProcess, { memoryMb }: Stage): void {
    this.#returned(host);
    if (host.alive && !this.#closed && host.rssBytes < memoryMb * 1024 * 1024) this.#keep(host);
    else this.#end(host);
    this.#serveWaiting();
  }

  /** Unloads a stage that is not needed any more. */
  unload(stage: Stage): void {
    for (const host of this.#all) host.unload(stage);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting) waiting.giveUp();
    for (const host of this.#idle.splice(0)) this.#retiring.get(host)?.();
    const all = [...this.#all];
    this.#all.clear();
    for (const host of all) this.#close(host);
    await Promise.all(this.#ending);
  }

  /** An idle process that may serve the stage; it is then no longer idle. */
  #find(stage: Stage): HostProcess | undefined {
    const usable = this.#idle.filter((host) => this.#isUsable(host, stage)).reverse();
    const host =
      usable.find((each) => each.has(stage)) ??
      usable.find((each) => each.loaded.length < this.#keepLoaded) ??
      // No room in any process, and no more processes allowed: a stage in the least recently used process makes room.
      (this.#all.size >= this.#limit(stage) ? usable.at(-1) : undefined);
    if (host) this.#wake(host);
    return host;
  }

  #isUsable(host: HostProcess, stage: Stage): boolean {
    if (!host.alive || host.heapMb < stage.memoryMb) return false;
    if (!this.#source.suits(host, !this.#offline.has(stage.name))) return false;
    const hasMemory = host.rssBytes < stage.memoryMb * 1024 * 1024;
    return hasMemory && (host.has(stage) || this.#source.isNewEnough(host, stage));
  }

  #limit(stage: Stage): number {
    // One more than its requests: the next stage is loaded while the last request of the one before is finished.
    return this.#most === undefined ? stage.concurrency + 1 : Math.max(this.#most, stage.concurrency);
  }

  /** Whether the owner may have a process, given those that others have. */
  #hasTurn(stage: Stage, owner: string): boolean {
    if (this.#most === undefined) return true;
    const slots = this.#limit(stage);
    return this.#shares.mayStart(owner, { slots, extra: slots });
  }

  #lend(host: HostProcess, owner: string): HostProcess {
    this.#borrowed.set(host, this.#shares.begin(owner));
    return host;
  }

  #returned(host: HostProcess): string {
    const running = this.#borrowed.get(host);
    this.#borrowed.delete(host);
    if (running) this.#shares.end(running);
    return running?.owner ?? '';
  }

  #turn(stage: Stage, owner: string, signal: AbortSignal | undefined): HostProcess | Promise<HostProcess> {
    const allBusy = this.#all.size > 0 && this.#idle.length === 0;
    const isFirst = !allBusy && this.#hasTurn(stage, owner);
    if (this.#most === undefined || isFirst) return this.#lend(this.#start(stage), owner);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        stage,
        owner,
        isImpatient: false,
        go(host) {
          leave();
          resolve(host);
        },
        giveUp() {
          leave();
          reject(new PismakError('unavailable', 'the worker stopped before it could start this request'));
        },
      };
      const cancel = this.#clock.after(this.#patienceMs, () => {
        waiting.isImpatient = true;
        this.#serveWaiting();
      });
      const leave = () => {
        cancel();
        this.#waiting.delete(waiting);
        signal?.removeEventListener('abort', waiting.giveUp);
      };
      this.#waiting.add(waiting);
      signal?.addEventListener('abort', waiting.giveUp, { once: true });
      if (signal?.aborted) waiting.giveUp();
    });
  }

  /** In order of arrival, so that no stage is passed over. */
  #serveWaiting(): void {
    for (const waiting of this.#waiting) {
      const { stage, owner } = waiting;
      if (!this.#hasTurn(stage, owner)) continue;
      const host =
        this.#find(stage) ??
        // An idle process that can't serve this stage makes room.
        (waiting.isImpatient || this.#idle.length > 0 ? this.#start(stage) : undefined);
      if (host) waiting.go(this.#lend(host, owner));
    }
  }

  #start(stage: Stage): HostProcess {
    const [idle] = this.#idle;
    if (idle && this.#all.size >= this.#limit(stage)) this.#retire(idle);
    const host = this.#source.take(stage.memoryMb, !this.#offline.has(stage.name));
    this.#all.add(host);
    void host.exited.then(() => {
      if (this.#idle.includes(host)) this.#retire(host);
    });
    return host;
  }

  async #load(host: HostProcess, code: StageCode): Promise<HostProcess> {
    if (host.has(code.stage)) return host;
    const isBare = host.isBare;
    for (const old of host.loaded.slice(0, host.loaded.length - this.#keepLoaded + 1)) host.unload(old);
    try {
      await host.load(code);
      return host;
    } catch (error) {
      // This request is not to blame for what another stage left behind in the process.
      if (!isBare && !this.#closed) return this.replace(host, code);
      this.#end(host);
      this.#serveWaiting();
      throw error;
    }
  }

  #keep(host: HostProcess): void {
    this.#idle.push(host);
    this.#retiring.set(
      host,
      this.#clock.after(this.#idleMs, () => this.#retire(host)),
    );
  }

  #retire(host: HostProcess): void {
    this.#wake(host);
    this.#end(host);
  }

  #wake(host: HostProcess): void {
    this.#retiring.get(host)?.();
    this.#idle = this.#idle.filter((other) => other !== host);
  }

  #end(host: HostProcess): void {
    this.#returned(host);
    this.#all.delete(host);
    this.#close(host);
  }

  #close(host: HostProcess): void {
    const ending = host.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
