import type { Engine } from '../../engine/composition/engine.ts';
import { mailDatabase } from '../database/tables.ts';
import { type MailResult, recordMails, recordRetries } from './record-results.ts';
import { type TakenMail, takeMails } from './take-mails.ts';

type LedgerEngine = Pick<Engine, 'database' | 'clock' | 'backlog'>;

interface Asked<Question, Answer> {
  question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

const mostAtOnce = 500;

/**
 * Takes and records mails in batches. A mail is taken before it is sent and recorded after the relay has answered; both are
 * durable. Calls that arrive during a transaction share the next one. On SQLite one transaction both takes and records, which
 * halves the waits for the disk, so a sender is fast with few mails in flight.
 */
export class MailLedger {
  readonly #parts: LedgerEngine;
  readonly #taking: Asked<string, TakenMail | undefined>[] = [];
  readonly #recording: Asked<MailResult, void>[] = [];
  #isBusy = false;

  constructor(parts: LedgerEngine) {
    this.#parts = parts;
  }

  /** Undefined if the mail has ended, or another message took it in the same batch. */
  take(id: string): Promise<TakenMail | undefined> {
    return new Promise((resolve, reject) => {
      this.#taking.push({ question: id, resolve, reject });
      this.#wake();
    });
  }

  record(result: MailResult): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#recording.push({ question: result, resolve, reject });
      this.#wake();
    });
  }

  #wake(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    // Calls of the same turn of the event loop share a batch.
    setImmediate(() => this.#work());
  }

  async #work(): Promise<void> {
    // PostgreSQL commits several transactions with one sync, and small ones conflict less.
    const isOne = this.#parts.database.dialect === 'sqlite';
    while (this.#taking.length + this.#recording.length > 0) {
      const taking = this.#taking.splice(0, mostAtOnce);
      const recording = this.#recording.splice(0, mostAtOnce);
      if (isOne) await this.#settle(taking, recording);
      else await Promise.all([this.#settle(taking, []), this.#settle([], recording)]);
    }
    this.#isBusy = false;
  }

  /** Settles every call of the batch. */
  async #settle(
    taking: readonly Asked<string, TakenMail | undefined>[],
    recording: readonly Asked<MailResult, void>[],
  ): Promise<void> {
    try {
      await this.#write(taking, recording);
    } catch (error) {
      for (const { reject } of taking) reject(error);
      // Nothing was taken. Record again: each lost answer is a mail sent twice.
      await this.#write([], recording).catch((again) => {
        for (const { reject } of recording) reject(again);
      });
    }
  }

  async #write(
    taking: readonly Asked<string, TakenMail | undefined>[],
    recording: readonly Asked<MailResult, void>[],
  ): Promise<void> {
    if (taking.length + recording.length === 0) return;
    const { backlog, clock } = this.#parts;
    const database = mailDatabase(this.#parts);
    const ids = [...new Set(taking.map(({ question }) => question))];
    const results = recording.map(({ question }) => question);
    const now = clock.now();
    const hasRetries = results.some(({ retryAt }) => retryAt !== undefined);
    const write = async (query: typeof database.query) => {
      if (results.length > 0) await recordMails(database.dialect, query, results, now);
      if (hasRetries) await recordRetries(backlog, query, results);
      return ids.length > 0 ? takeMails(database.dialect, query, ids, now) : new Map<string, TakenMail>();
    };
    // A single statement needs no transaction around it.
    const isSingle = !hasRetries && (ids.length === 0 || results.length === 0);
    const isSuppressing = results.some(({ suppress }) => suppress !== undefined);
    const found = await (isSingle && !isSuppressing ? write(database.query) : database.transaction(write));
    for (const { resolve } of recording) resolve();
    if (hasRetries) backlog.wake();
    for (const { question, resolve } of taking) {
      resolve(found.get(question));
      // If two messages name the same mail in one batch, the first gets it.
      found.delete(question);
    }
  }
}
