import { messageOf } from '../errors.ts';
import type { ConsumeOptions, Consumer, DeliveryHandler } from './broker.ts';
import type { SettledOnce } from './delivery.ts';

/** The retry delay of a message whose handler threw. */
const thrownDelayMs = 1000;

/** A handler and its slots: the result of one call of `consume`. */
export class HandlerSlots implements Consumer {
  readonly concurrency: number;
  readonly prefetch: number;
  readonly #handler: DeliveryHandler;
  readonly #leave: (slots: HandlerSlots) => void;
  #running = 0;
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(
    options: Required<ConsumeOptions>,
    handler: DeliveryHandler,
    leave: (slots: HandlerSlots) => void,
  ) {
    this.concurrency = options.concurrency;
    this.prefetch = options.prefetch;
    this.#handler = handler;
    this.#leave = leave;
  }

  get free(): number {
    return this.concurrency - this.#running;
  }

  /** Runs the handler. The slot is free as soon as the handler returns, even if the settlement is not on disk yet. */
  async start(delivery: SettledOnce): Promise<void> {
    this.#running++;
    try {
      await this.#handler(delivery);
      if (!delivery.isSettled) void delivery.release();
    } catch (error) {
      if (!delivery.isSettled) void delivery.retry({ delayMs: thrownDelayMs, reason: messageOf(error) });
    } finally {
      this.#running--;
      if (this.#running === 0) this.#closed?.resolve();
    }
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = Promise.withResolvers();
      this.#leave(this);
      if (this.#running === 0) this.#closed.resolve();
    }
    return this.#closed.promise;
  }
}
