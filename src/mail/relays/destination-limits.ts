import { TokenBucket } from '../../engine/turns/token-bucket.ts';
import { domainOf } from '../model/address.ts';

/** A mailbox provider. Its domains share one limit. */
export interface ProviderLimit {
  domains: readonly string[];
  /** Mails per second through one relay; 0 = no limit. */
  perSecond: number;
  /** Mails under way at once through one relay; 0 = no limit. */
  connections: number;
}

interface Destination {
  pace: TokenBucket | undefined;
  perSecond: number;
  connections: number;
  busy: number;
}

const mostDestinations = 1000;

/** Limits of one relay by destination: those of a provider for its domains, and one limit for each other domain. */
export class DestinationLimits {
  readonly #perSecondAndDomain: number;
  readonly #providers = new Map<string, Destination>();
  readonly #domains = new Map<string, Destination>();

  constructor(perSecondAndDomain: number, providers: readonly ProviderLimit[] = []) {
    this.#perSecondAndDomain = perSecondAndDomain;
    for (const { domains, perSecond, connections } of providers) {
      const destination = newDestination(perSecond, connections);
      for (const domain of domains) this.#providers.set(domain.toLowerCase(), destination);
    }
  }

  /**
   * 0 if a mail to this address may start, otherwise how long to wait; undefined: until another mail to this destination has
   * ended.
   */
  waitMs(recipient: string, now: number): number | undefined {
    const destination = this.#of(recipient);
    if (!destination) return 0;
    if (destination.connections > 0 && destination.busy >= destination.connections) return undefined;
    return destination.pace?.waitMs(now) ?? 0;
  }

  /** Mails per second to this destination; infinite without a limit. */
  perSecond(recipient: string): number {
    return this.#of(recipient)?.perSecond || Number.POSITIVE_INFINITY;
  }

  begin(recipient: string, now: number): void {
    const destination = this.#of(recipient);
    if (!destination) return;
    destination.pace?.take(now);
    destination.busy++;
  }

  end(recipient: string): void {
    const destination = this.#of(recipient);
    if (destination && destination.busy > 0) destination.busy--;
  }

  #of(recipient: string): Destination | undefined {
    if (this.#perSecondAndDomain <= 0 && this.#providers.size === 0) return undefined;
    const domain = domainOf(recipient).toLowerCase();
    const provider = this.#providers.get(domain);
    if (provider || this.#perSecondAndDomain <= 0) return provider;
    const known = this.#domains.get(domain);
    if (known) return known;
    // Drop the oldest domain: unused for so long, it has its full rate again anyway.
    if (this.#domains.size >= mostDestinations)
      this.#domains.delete(this.#domains.keys().next().value as string);
    const destination = newDestination(this.#perSecondAndDomain, 0);
    this.#domains.set(domain, destination);
    return destination;
  }
}

function newDestination(perSecond: number, connections: number): Destination {
  const pace = perSecond > 0 ? new TokenBucket(perSecond) : undefined;
  return { pace, perSecond, connections, busy: 0 };
}
