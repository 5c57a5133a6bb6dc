import type { Logger } from 'pino';
import type { Coordination } from '../coordination/coordination.ts';
import type { Clock } from '../time/clock.ts';
import { claimPresence } from './claim-presence.ts';
import { presencePath, type WorkerPresence } from './worker-record.ts';

/** Minimum time between two reports, however often a worker's state flips. */
const leastMs = 200;

/** Keeps a worker's presence node up to date: with every heartbeat, and soon after each change. */
export class PresenceReport {
  readonly #clock: Clock;
  readonly #describe: () => WorkerPresence;
  readonly #heartbeatMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #onReported: () => void;
  #session: Coordination | undefined;
  #cancel = () => {};
  #lastAt = Number.NEGATIVE_INFINITY;
  #dueAt = Number.POSITIVE_INFINITY;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: {
    clock: Clock;
    heartbeatMs: number;
    describe: () => WorkerPresence;
    onError: (error: unknown) => void;
    onReported?: () => void;
  }) {
    this.#clock = parts.clock;
    this.#heartbeatMs = parts.heartbeatMs;
    this.#describe = parts.describe;
    this.#onError = parts.onError;
    this.#onReported = parts.onReported ?? (() => {});
  }

  /** Creates the node; rejects with `already-exists` when a worker of this name is alive. */
  async begin(session: Coordination, { log, signal }: { log: Logger; signal: AbortSignal }): Promise<void> {
    await claimPresence(session, this.#describe, { clock: this.#clock, log, signal });
    this.#session = session;
    this.#plan(this.#heartbeatMs);
  }

  /** Call this after a change: it is reported soon. */
  soon(): void {
    if (!this.#session) return;
    const at = Math.max(this.#clock.now(), this.#lastAt + leastMs);
    if (at < this.#dueAt) this.#plan(at - this.#clock.now());
  }

  async end(): Promise<void> {
    this.#session = undefined;
    this.#cancel();
    await this.#writing;
  }

  #plan(ms: number): void {
    this.#cancel();
    this.#dueAt = this.#clock.now() + ms;
    this.#cancel = this.#clock.after(ms, () => {
      this.#writing = this.#write();
    });
  }

  async #write(): Promise<void> {
    const session = this.#session;
    if (!session || session.lost.aborted) return;
    this.#lastAt = this.#clock.now();
    this.#plan(this.#heartbeatMs);
    try {
      const presence = this.#describe();
      await session.set(`${presencePath}/${presence.id}`, JSON.stringify(presence));
      this.#onReported();
    } catch (error) {
      this.#onError(error);
    }
  }
}
