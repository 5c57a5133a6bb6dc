import { messageOf } from '../ground/errors.ts';
import type { Clock } from '../time/clock.ts';
import { ElasticSlots } from '../turns/elastic-slots.ts';
import type { LeastBusyFirst } from '../turns/least-busy-first.ts';
import type { ConsumeOptions, Consumer, DeliveryHandler } from './broker.ts';
import type { SettledOnce } from './delivery.ts';
import { ownerOf } from './owner-header.ts';

/** The retry delay of a message whose handler threw. */
const thrownDelayMs = 1000;

/** What the slots need from their queue. */
export interface SlotsParts {
  clock: Clock;
  turns: LeastBusyFirst;
  /** A message that had to wait may now start. */
  dispatch(): void;
  leave(slots: HandlerSlots): void;
}

/** A handler and its slots: the result of one call of `consume`. */
export class HandlerSlots implements Consumer {
  readonly concurrency: number;
  readonly prefetch: number;
  readonly #handler: DeliveryHandler;
  readonly #parts: SlotsParts;
  readonly #shares: ElasticSlots;
  #closed: PromiseWithResolvers<void> | undefined;

  constructor(options: ConsumeOptions & { prefetch: number }, handler: DeliveryHandler, parts: SlotsParts) {
    const { concurrency, extra = 0, prefetch } = options;
    this.concurrency = concurrency;
    this.prefetch = prefetch;
    this.#handler = handler;
    this.#parts = parts;
    this.#shares = new ElasticSlots({ slots: concurrency, extra, clock: parts.clock });
    this.#shares.onLong = () => {
      if (!this.#closed) parts.dispatch();
    };
  }

  get free(): number {
    return this.#shares.free;
  }

  /** Whether only extra slots are left, for owners that have waited behind others. */
  get isStretched(): boolean {
    return this.#shares.isStretched;
  }

  get refused(): Set<string> | undefined {
    return this.#shares.refused;
  }

  mayStart(owner: string): boolean {
    return this.#shares.mayStart(owner);
  }

  /** Runs the handler. The slot is free as soon as the handler returns, even if the settlement is not on disk yet. */
  async start(delivery: SettledOnce): Promise<void> {
    const owner = ownerOf(delivery);
    const { turns } = this.#parts;
    const standing = turns.begin(owner);
    const running = this.#shares.begin(owner);
    try {
      await this.#handler(delivery);
      if (!delivery.isSettled) void delivery.release();
    } catch (error) {
      if (!delivery.isSettled) void delivery.retry({ delayMs: thrownDelayMs, reason: messageOf(error) });
    } finally {
      this.#shares.end(running);
      turns.end(standing);
      if (this.#shares.running === 0) this.#closed?.resolve();
    }
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = Promise.withResolvers();
      this.#parts.leave(this);
      if (this.#shares.running === 0) this.#closed.resolve();
    }
    return this.#closed.promise;
  }
}

/**
 * The slots that start the next message, and its owner, chosen among the owners with waiting messages. While a slot is
 * free any owner may have it; after that, extra slots are for owners that others' long work keeps waiting.
 */
export function chooseStart(
  consumers: readonly HandlerSlots[],
  owners: ReadonlyMap<string, unknown>,
  turns: LeastBusyFirst,
): { slots: HandlerSlots; owner: string } | undefined {
  if (owners.size === 0) return undefined;
  let freest: HandlerSlots | undefined;
  for (const slots of consumers) if (slots.free > (freest?.free ?? 0)) freest = slots;
  if (freest) {
    // Usually all belong to one owner.
    const owner = owners.size === 1 ? owners.keys().next().value : turns.next(owners.keys());
    return owner === undefined ? undefined : { slots: freest, owner };
  }
  for (const slots of consumers) {
    if (!slots.isStretched) continue;
    const owner = turns.next(owners.keys().filter((each) => slots.mayStart(each)));
    if (owner !== undefined) return { slots, owner };
  }
  return undefined;
}
