import { domainOf } from '../model/address.ts';
import type { ProviderLimit } from './destination-limits.ts';

/** Mails that may wait in memory for one destination: enough to keep up its rate, few enough to leave room for others. */
const mostWaiting = 25;
const mostKept = 1000;

/** Counts the mails that wait for each destination, and spreads those beyond the limit over time. */
export class DestinationQueues {
  readonly #providers = new Map<string, string>();
  readonly #waiting = new Map<string, number>();
  /** The time that was given to the last mail sent away. */
  readonly #lastAt = new Map<string, number>();

  constructor(providers: readonly ProviderLimit[]) {
    for (const [index, { domains }] of providers.entries())
      for (const domain of domains) this.#providers.set(domain.toLowerCase(), `provider ${index}`);
  }

  joins(to: string): void {
    const key = this.#keyOf(to);
    this.#waiting.set(key, (this.#waiting.get(key) ?? 0) + 1);
  }

  leaves(to: string): void {
    const key = this.#keyOf(to);
    const left = (this.#waiting.get(key) ?? 0) - 1;
    if (left > 0) this.#waiting.set(key, left);
    else this.#waiting.delete(key);
  }

  /** Mails that come too early get times one after the other, as far apart as the limit wants. */
  postponeMs(to: string, perSecond: number, now: number): number {
    if (!Number.isFinite(perSecond) || perSecond <= 0) return 0;
    const key = this.#keyOf(to);
    const waiting = this.#waiting.get(key) ?? 0;
    if (waiting < mostWaiting) return 0;
    const apartMs = 1000 / perSecond;
    const at = Math.max(this.#lastAt.get(key) ?? 0, now + waiting * apartMs) + apartMs;
    if (this.#lastAt.size >= mostKept) this.#lastAt.clear();
    this.#lastAt.set(key, at);
    return Math.ceil(at - now);
  }

  #keyOf(to: string): string {
    const domain = domainOf(to).toLowerCase();
    return this.#providers.get(domain) ?? domain;
  }
}
