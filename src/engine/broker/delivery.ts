import { PismakError } from '../ground/errors.ts';
import type { Delivery, Failure, Lane } from './broker.ts';

/** A message in memory. */
export interface HeldMessage {
  id: string;
  lane: Lane;
  attempts: number;
  mayHaveBegun?: boolean;
  publishedAt: number;
  headers: Readonly<Record<string, string>>;
  history: readonly Failure[];
  body: Uint8Array;
}

export type Settlement =
  | { kind: 'ack' }
  | { kind: 'retry'; delayMs: number; reason: string }
  | { kind: 'dead-letter'; reason: string }
  | { kind: 'release' };

/** A hundred years: keeps huge delays within the range of a date. */
export const maxDelayMs = 100 * 365 * 24 * 3_600_000;

/** Makes sure that a message is settled once: the first settlement counts, repeating it is harmless. */
export class SettledOnce implements Delivery {
  readonly queue: string;
  readonly attempt: number;
  readonly #message: HeldMessage;
  readonly #settle: (settlement: Settlement) => Promise<void>;
  #settled: { kind: Settlement['kind']; promise: Promise<void> } | undefined;

  constructor(queue: string, message: HeldMessage, settle: (settlement: Settlement) => Promise<void>) {
    this.queue = queue;
    this.attempt = message.attempts;
    this.#message = message;
    this.#settle = settle;
  }

  get id() {
    return this.#message.id;
  }
  get lane() {
    return this.#message.lane;
  }
  get body() {
    return this.#message.body;
  }
  get headers() {
    return this.#message.headers;
  }
  get history() {
    return this.#message.history;
  }
  get publishedAt() {
    return this.#message.publishedAt;
  }
  get mayHaveBegun() {
    return this.#message.mayHaveBegun ?? false;
  }
  get isSettled() {
    return this.#settled !== undefined;
  }

  ack(): Promise<void> {
    return this.#once({ kind: 'ack' });
  }

  retry(options: { delayMs: number; reason: string }): Promise<void> {
    return this.#once({ kind: 'retry', ...options });
  }

  deadLetter(reason: string): Promise<void> {
    return this.#once({ kind: 'dead-letter', reason });
  }

  release(): Promise<void> {
    return this.#once({ kind: 'release' });
  }

  #once(settlement: Settlement): Promise<void> {
    if (!this.#settled) {
      this.#settled = { kind: settlement.kind, promise: this.#settle(settlement) };
    } else if (this.#settled.kind !== settlement.kind) {
      const text = `Message ${this.id} is already settled (${this.#settled.kind}), so ${settlement.kind} is too late.`;
      return unawaited(Promise.reject(new PismakError('conflict', text)));
    }
    return unawaited(this.#settled.promise);
  }
}

/** Callers need not await a settlement, so a failure must not become an unhandled rejection. */
function unawaited(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}
