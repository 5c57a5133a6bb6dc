import type { BatchPlan, ScoutPlan } from '../batch/plan.ts';
import type { CrawlStatistics } from '../crawl/statistics.ts';
import type { BatchRow } from '../database/tables.ts';
import type { Domain } from './domains.ts';
import type { Undo } from './undo.ts';

interface Held {
  domains: number[];
  addresses: string[];
}

/**
 * What the batches of a crawl hold, in memory. A domain is in at most one batch. An address is
 *
 * - `active` while a batch holds it,
 * - `resting` after that until its general pause is over, or while another crawl holds it,
 * - `waiting` if it may be contacted and a domain on it has requests,
 * - `done` if nothing waits for it.
 *
 * These are hints: the table of addresses, which all crawls of the cluster share, decides who gets an address.
 */
export class BatchesUnderWay {
  readonly #batches = new Map<string, Held>();
  readonly #occupied = new Set<number>();
  /** When an address may be contacted again; infinite while a batch holds it. */
  readonly #notBefore = new Map<string, number>();
  readonly #undo: Undo;

  constructor(undo: Undo) {
    this.#undo = undo;
  }

  knows(batch: string): boolean {
    return this.#batches.has(batch);
  }

  heldBy(batch: string): Held {
    return this.#batches.get(batch) ?? { domains: [], addresses: [] };
  }

  /** Takes note of a batch that an earlier keeper planned. */
  adopt(row: Pick<BatchRow, 'id' | 'kind' | 'plan' | 'addresses'>): void {
    const plan = JSON.parse(row.plan) as BatchPlan & ScoutPlan;
    const domains =
      row.kind === 'scout'
        ? plan.domains.map(({ domain }) => domain)
        : plan.rows.flatMap((stops) => stops.map(({ domain }) => domain));
    this.#add(row.id, { domains, addresses: JSON.parse(row.addresses) as string[] });
  }

  /** Takes note of a batch that the transaction under way makes. */
  begin(batch: string, held: Held): void {
    this.#undo.record(() => {
      this.#remove(batch);
      for (const address of held.addresses) this.#notBefore.delete(address);
    });
    this.#add(batch, held);
  }

  end(batch: string): void {
    const held = this.#batches.get(batch);
    if (!held) return;
    this.#undo.record(() => this.#add(batch, held));
    this.#remove(batch);
  }

  isOccupied({ id }: Domain): boolean {
    return this.#occupied.has(id);
  }

  /** When the address may be contacted again; 0 if it rests no more. */
  notBefore(address: string): number {
    return this.#notBefore.get(address) ?? 0;
  }

  rest(address: string, until: number): void {
    this.#notBefore.set(address, until);
  }

  /** Counts the addresses of these domains by state. */
  count(domains: Iterable<Domain>, now: number): CrawlStatistics['addresses'] {
    const active = new Set([...this.#batches.values()].flatMap(({ addresses }) => addresses));
    const waiting = new Set<string>();
    const all = new Set<string>();
    for (const domain of domains)
      for (const address of domain.addresses) {
        all.add(address);
        if (domain.queued > 0) waiting.add(address);
      }
    const counts = { waiting: 0, active: 0, resting: 0, done: 0 };
    for (const address of all) {
      if (active.has(address)) counts.active++;
      else if (this.notBefore(address) > now) counts.resting++;
      else if (waiting.has(address)) counts.waiting++;
      else counts.done++;
    }
    return counts;
  }

  #add(batch: string, held: Held): void {
    this.#batches.set(batch, held);
    for (const domain of held.domains) this.#occupied.add(domain);
    for (const address of held.addresses) this.#notBefore.set(address, Number.POSITIVE_INFINITY);
  }

  #remove(batch: string): void {
    for (const domain of this.heldBy(batch).domains) this.#occupied.delete(domain);
    this.#batches.delete(batch);
  }
}
