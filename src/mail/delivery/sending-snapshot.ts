import type { Engine } from '../../engine/composition/engine.ts';
import { hasCode } from '../../engine/ground/errors.ts';
import { type ErasedAddresses, readErased, withdrawnFreshMs } from '../database/erased-addresses.ts';
import { mailQueries } from '../database/tables.ts';
import { findType } from '../types/mail-types.ts';

/** Maximum age of what senders know about types and suppressions. */
const freshMs = 5000;

/** What must not be sent. */
export interface Withdrawn {
  /** Addresses, each with a space and the class behind it; without a class: all classes. */
  suppressed: ReadonlySet<string>;
  erased: ErasedAddresses;
  /** Ids of mails. */
  cancelled: ReadonlySet<string>;
}

/**
 * What a sender needs to know about whole mails, cached so that it does not query the database for each. While the database is
 * away, the cache stays in use.
 */
export class SendingSnapshot {
  readonly #engine: Pick<Engine, 'clock' | 'database'>;
  readonly #types = new Map<string, Known<{ version: number; language: string }>>();
  #suppressed: Known<ReadonlySet<string>> | undefined;
  #erased: Known<ErasedAddresses> | undefined;
  #cancelled: Known<ReadonlySet<string>> | undefined;

  constructor(engine: Pick<Engine, 'clock' | 'database'>) {
    this.#engine = engine;
  }

  /** The current version of a type. Fails with `not-found`. */
  type(code: string): Promise<{ version: number; language: string }> {
    const at = this.#engine.clock.now();
    const known = this.#types.get(code);
    if (known && isFresh(known, at, freshMs)) return known.value;
    const reading = findType(this.#engine, code);
    const value = known
      ? reading.catch((error) => (hasCode(error, 'not-found') ? Promise.reject(error) : known.value))
      : reading;
    this.#types.set(code, { at, value });
    value.catch(() => this.#types.delete(code));
    return value;
  }

  async withdrawn(): Promise<Withdrawn> {
    return {
      suppressed: await this.#readSuppressed(),
      erased: await this.#readErased(),
      cancelled: await this.#readCancelled(),
    };
  }

  #readSuppressed(): Promise<ReadonlySet<string>> {
    this.#suppressed = this.#refresh(this.#suppressed, freshMs, async () => {
      const rows = await mailQueries(this.#engine)
        .selectFrom('mail_suppressed')
        .select(['address', 'class'])
        .execute();
      return new Set(rows.map((row) => `${row.address} ${row.class}`));
    });
    return this.#suppressed.value;
  }

  #readErased(): Promise<ErasedAddresses> {
    this.#erased = this.#refresh(this.#erased, withdrawnFreshMs, () => readErased(mailQueries(this.#engine)));
    return this.#erased.value;
  }

  #readCancelled(): Promise<ReadonlySet<string>> {
    this.#cancelled = this.#refresh(this.#cancelled, withdrawnFreshMs, async () => {
      const rows = await mailQueries(this.#engine).selectFrom('mail_cancelled').select('mail').execute();
      return new Set(rows.map(({ mail }) => mail));
    });
    return this.#cancelled.value;
  }

  #refresh<Value>(
    known: Known<Value> | undefined,
    freshMs: number,
    read: () => Promise<Value>,
  ): Known<Value> {
    const at = this.#engine.clock.now();
    if (known && isFresh(known, at, freshMs)) return known;
    const reading = read();
    if (known) return { at, value: reading.catch(() => known.value) };
    const first = { at, value: reading };
    // Nothing is cached yet, so the next mail reads again.
    reading.catch(() => {
      first.at = Number.NEGATIVE_INFINITY;
    });
    return first;
  }
}

interface Known<Value> {
  at: number;
  value: Promise<Value>;
}

function isFresh({ at }: Known<unknown>, now: number, freshMs: number): boolean {
  return now - at < freshMs && now >= at;
}
