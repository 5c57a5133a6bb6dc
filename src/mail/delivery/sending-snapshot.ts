import type { Engine } from '../../engine/engine.ts';
import { hasCode } from '../../engine/errors.ts';
import { mailQueries } from '../database/tables.ts';
import { findType } from '../types/mail-types.ts';

/** Types and suppressions are known to senders, and at most so old. */
const freshMs = 5000;

/** What a sender must know about whole mails without asking the database for each. While the database is away, it goes on with what it knows. */
export class SendingSnapshot {
  readonly #engine: Pick<Engine, 'clock' | 'database'>;
  readonly #types = new Map<string, Known<{ version: number; language: string }>>();
  #suppressed: Known<ReadonlySet<string>> | undefined;

  constructor(engine: Pick<Engine, 'clock' | 'database'>) {
    this.#engine = engine;
  }

  /** The current version of a type. Fails with `not-found`. */
  type(code: string): Promise<{ version: number; language: string }> {
    const at = this.#engine.clock.now();
    const known = this.#types.get(code);
    if (known && isFresh(known, at)) return known.value;
    const reading = findType(this.#engine, code);
    const value = known
      ? reading.catch((error) => (hasCode(error, 'not-found') ? Promise.reject(error) : known.value))
      : reading;
    this.#types.set(code, { at, value });
    value.catch(() => this.#types.delete(code));
    return value;
  }

  /** Addresses that get no mails, each with a space and the class behind it; without a class: of no class. */
  suppressed(): Promise<ReadonlySet<string>> {
    const at = this.#engine.clock.now();
    const known = this.#suppressed;
    if (known && isFresh(known, at)) return known.value;
    const reading = mailQueries(this.#engine)
      .selectFrom('mail_suppressed')
      .select(['address', 'class'])
      .execute()
      .then((rows) => new Set(rows.map((row) => `${row.address} ${row.class}`)));
    const value = known ? reading.catch(() => known.value) : reading;
    this.#suppressed = { at, value };
    value.catch(() => {
      this.#suppressed = undefined;
    });
    return value;
  }
}

interface Known<Value> {
  at: number;
  value: Promise<Value>;
}

function isFresh({ at }: Known<unknown>, now: number): boolean {
  return now - at < freshMs && now >= at;
}
