import type { Engine } from '../../engine/engine.ts';
import { mailDatabase } from '../database/tables.ts';
import { type MailResult, recordMails, recordRetries } from './record-results.ts';
import { type TakenMail, takeMails } from './take-mails.ts';

type Parts = Pick<Engine, 'database' | 'clock' | 'backlog'>;

interface Asked<Question, Answer> {
  question: Question;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

const mostAtOnce = 500;

/**
 * Which mails senders have in their hands. A mail is taken before a relay hears of it, and recorded after the relay has
 * answered: both on disk. What is asked while a transaction is under way shares the next one, on SQLite taking and
 * recording together: so a sender waits for the disk half as often, and is fast with few mails in hand.
 */
export class MailLedger {
  readonly #parts: Parts;
  readonly #taking: Asked<string, TakenMail | undefined>[] = [];
  readonly #recording: Asked<MailResult, void>[] = [];
  #isBusy = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Undefined if the mail has ended, or another message of this moment has it. */
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
    // What is asked in the same turn of the event loop belongs together.
    setImmediate(() => this.#work());
  }

  async #work(): Promise<void> {
    // PostgreSQL lets several transactions wait for the disk together, and small ones clash less.
    const isOne = this.#parts.database.dialect === 'sqlite';
    while (this.#taking.length + this.#recording.length > 0) {
      const taking = this.#taking.splice(0, mostAtOnce);
      const recording = this.#recording.splice(0, mostAtOnce);
      if (isOne) await this.#settle(taking, recording);
      else await Promise.all([this.#settle(taking, []), this.#settle([], recording)]);
    }
    this.#isBusy = false;
  }

  /** Answers everybody. */
  async #settle(
    taking: readonly Asked<string, TakenMail | undefined>[],
    recording: readonly Asked<MailResult, void>[],
  ): Promise<void> {
    try {
      await this.#write(taking, recording);
    } catch (error) {
      for (const { reject } of taking) reject(error);
      // Nothing was taken, but answers of relays are worth a second attempt: each one lost is a mail sent twice.
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
      // If two messages name the same mail at one moment, the first one has it.
      found.delete(question);
    }
  }
}
