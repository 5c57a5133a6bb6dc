import type { Consumer } from '../broker/broker.ts';
import { messageOf } from '../ground/errors.ts';
import { foreignLaneOf } from '../request/foreign-lane.ts';
import type { Stage } from '../stage/stage.ts';
import { unlessAborted } from '../time/deadline.ts';
import type { Acquired, RunnerCache } from './runner-cache.ts';
import { type Serving, serveRequest } from './serve-request.ts';

/** When a stage that could not be loaded is tried again, unless the server is aimed again before. */
const reloadMs = 10_000;

/**
 * Serves one stage at a time: the one it was last aimed at. It switches between two messages, and loads the next
 * stage while the last message of the old one finishes.
 */
export class StageServer {
  readonly #serving: Omit<Serving, 'stage' | 'runner' | 'leaving' | 'onNotLoaded'>;
  readonly #cache: RunnerCache;
  readonly #onChange: () => void;
  readonly #onLoad: (stage: Stage, failure: string | undefined) => void;
  #target: Stage | null = null;
  #serves: { stage: Stage; consumer: Consumer; leave: () => void; release: () => void } | undefined;
  #moving: Promise<void> | undefined;
  #cancelReload = () => {};
  readonly #closed = new AbortController();
  inFlight = 0;
  /** When it started its current message; of several, the one that came when there was none. */
  busySince: number | null = null;
  failure: { stage: string; reason: string } | undefined;
  switchMs: number | null = null;
  /** How long its last switch to a stage that was not loaded, and to one that was, kept it from working. */
  coldMs: number | null = null;
  warmMs: number | null = null;
  lastSwitch: { from: number; to: number | null } | undefined;

  constructor(parts: {
    serving: Omit<Serving, 'stage' | 'runner' | 'leaving' | 'onNotLoaded'>;
    cache: RunnerCache;
    /** Called whenever a stage was loaded, or could not be. */
    onLoad: (stage: Stage, failure: string | undefined) => void;
    onChange: () => void;
  }) {
    this.#serving = parts.serving;
    this.#cache = parts.cache;
    this.#onChange = parts.onChange;
    this.#onLoad = parts.onLoad;
  }

  get stage(): Stage | undefined {
    return this.#serves?.stage;
  }

  get moving(): boolean {
    return this.#moving !== undefined;
  }

  /** Sets the stage to serve; null for none. Returns at once; messages in progress are finished first. */
  aim(stage: Stage | null): void {
    if (sameVersion(stage, this.#target)) return;
    this.#target = stage;
    this.failure = undefined;
    this.#cancelReload();
    this.#begin();
  }

  async close(): Promise<void> {
    this.aim(null);
    // A stage that is just being loaded, which may take seconds, is not needed any more.
    this.#closed.abort();
    await this.#moving;
    this.#cancelReload();
  }

  #begin(): void {
    if (this.#moving) return;
    this.#moving = this.#move().finally(() => {
      this.#moving = undefined;
      this.#onChange();
    });
    this.#onChange();
  }

  async #move(): Promise<void> {
    while (!sameVersion(this.#target, this.#serves?.stage ?? null)) {
      const target = this.#target;
      const loading = target && this.#load(target);
      await this.#stop();
      if (target) this.#beginSwitch();
      const loaded = loading && (await this.#unlessClosed(loading));
      if (!target || !loaded) {
        // Nothing to serve, or the stage could not be loaded: done, unless the target has changed in the meantime.
        if (sameVersion(target, this.#target)) return;
        continue;
      }
      if (!sameVersion(target, this.#target)) {
        loaded.release();
        continue;
      }
      await this.#serve(target, loaded);
      if (this.failure) return;
    }
  }

  #beginSwitch(): void {
    this.lastSwitch = { from: this.#serving.parts.clock.now(), to: null };
    this.#onChange();
  }

  #endSwitch(from: Acquired['from']): void {
    if (!this.lastSwitch) return;
    const to = this.#serving.parts.clock.now();
    this.lastSwitch = { ...this.lastSwitch, to };
    if (from !== 'nothing') this[from === 'warm' ? 'warmMs' : 'coldMs'] = to - this.lastSwitch.from;
  }

  async #load(stage: Stage): Promise<Acquired | undefined> {
    const { clock } = this.#serving.parts;
    const startedAt = clock.now();
    try {
      const loaded = await this.#cache.acquire(stage);
      this.switchMs = clock.now() - startedAt;
      return loaded;
    } catch (error) {
      if (!this.#closed.signal.aborted) this.#fail(stage, error);
      return undefined;
    }
  }

  async #unlessClosed(loading: Promise<Acquired | undefined>): Promise<Acquired | undefined> {
    return unlessAborted(loading, this.#closed.signal).catch(() => {
      void loading.then((late) => late?.release());
      return undefined;
    });
  }

  async #serve(stage: Stage, loaded: Acquired): Promise<void> {
    const { parts } = this.#serving;
    const leaving = new AbortController();
    const serving: Serving = {
      ...this.#serving,
      stage,
      runner: loaded.runner,
      leaving: leaving.signal,
      onNotLoaded: (reason) => this.#giveUp(stage, reason),
    };
    try {
      const consumer = await parts.broker.consume(
        stage.name,
        // An exclusive stage may need all of the machine, so it never runs more than its concurrency.
        {
          concurrency: stage.concurrency,
          extra: stage.mode === 'shared' ? stage.concurrency : 0,
          foreignLane: foreignLaneOf(stage),
        },
        async (delivery) => {
          if (++this.inFlight === 1) {
            this.busySince = parts.clock.now();
            this.#onChange();
          }
          try {
            await serveRequest(serving, delivery);
          } finally {
            if (--this.inFlight === 0) {
              this.busySince = null;
              this.#onChange();
            }
          }
        },
      );
      this.#serves = { stage, consumer, leave: () => leaving.abort(), release: loaded.release };
      this.#endSwitch(loaded.from);
      this.#onLoad(stage, undefined);
      // Not info: each worker serves all shared stages, so a start would say it twenty times. `worker ls` and the trace show it.
      parts.log.debug({ stage: stage.name, version: stage.version }, 'serving stage');
    } catch (error) {
      loaded.release();
      this.#fail(stage, error);
    }
  }

  async #stop(): Promise<void> {
    const serves = this.#serves;
    if (!serves) return;
    serves.leave();
    await serves.consumer.close();
    serves.release();
    this.#serves = undefined;
  }

  /** The stage could not be loaded for a message: treated like a failure at the start, and tried again later. */
  #giveUp(stage: Stage, reason: string): void {
    if (this.#moving || !sameVersion(stage, this.#serves?.stage ?? null)) return;
    const stopping = this.#stop().then(() => {
      if (sameVersion(stage, this.#target)) this.#fail(stage, new Error(reason));
    });
    this.#moving = stopping.finally(() => {
      this.#moving = undefined;
      this.#onChange();
      // It was aimed at something else in the meantime.
      if (!this.failure) this.#begin();
    });
  }

  #fail(stage: Stage, error: unknown): void {
    const { parts } = this.#serving;
    const reason = messageOf(error);
    this.failure = { stage: stage.name, reason };
    this.#onLoad(stage, reason);
    parts.log.error({ stage: stage.name, version: stage.version, reason }, 'stage cannot be served');
    this.#cancelReload = parts.clock.after(reloadMs, () => {
      this.failure = undefined;
      this.#begin();
    });
  }
}

function sameVersion(a: Stage | null, b: Stage | null): boolean {
  return a?.name === b?.name && a?.version === b?.version;
}
