import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { messageOf } from '../ground/errors.ts';
import { shorten } from '../ground/shorten.ts';
import { valuesInLine } from '../log/log.ts';
import { maskSecrets } from '../log/mask-secrets.ts';
import type { Clock } from '../time/clock.ts';
import { withDeadline } from '../time/deadline.ts';
import {
  type JournalLine,
  mostFailures,
  mostLines,
  readJournal,
  type WorkerFailure,
} from './journal-rows.ts';

const longestText = 500;

/** News are stored together: a worker whose every request fails must not write for each. */
const flushMs = 5_000;
/** A database that does not answer doesn't keep a worker from stopping. */
const answerMs = 2_000;

/**
 * The latest log lines and failures of a worker, in the database: people read them wherever the worker runs, and after it is
 * gone. Bounded, and best effort: the whole log is on the worker's machine.
 */
export class Journal {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #worker: string;
  #lines: JournalLine[] = [];
  #failures: WorkerFailure[] = [];
  #cancel: (() => void) | undefined;
  #writing: Promise<void> = Promise.resolve();
  /** Logs for this worker, here and in the log of the process. */
  readonly log: Logger;

  constructor(parts: { database: Database; clock: Clock; log: Logger }, worker: string) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#worker = worker;
    this.log = parts.log.child({ worker });
    for (const level of ['info', 'warn', 'error'] as const) {
      const write = this.log[level].bind(this.log) as (...words: unknown[]) => void;
      this.log[level] = (...words: unknown[]) => {
        this.#note(level, words);
        write(...words);
      };
    }
  }

  failed(failure: Omit<WorkerFailure, 'at'>): void {
    const reason = shorten(maskSecrets(failure.reason), longestText);
    this.#failures = [...this.#failures, { at: this.#clock.now(), ...failure, reason }].slice(-mostFailures);
    this.#soon();
  }

  /** Stores what is not stored yet. */
  async close(): Promise<void> {
    this.#cancel?.();
    await this.#writing;
    await this.#flush();
  }

  #note(level: JournalLine['level'], words: readonly unknown[]): void {
    const values = typeof words[0] === 'object' && words[0] !== null ? words[0] : {};
    const message = words.find((word) => typeof word === 'string') ?? '';
    const text = shorten(maskSecrets(`${message}  ${valuesInLine(values)}`.trimEnd()), longestText);
    this.#lines = [...this.#lines, { at: this.#clock.now(), level, text }].slice(-mostLines);
    this.#soon();
  }

  #soon(): void {
    this.#cancel ??= this.#clock.after(flushMs, () => {
      this.#writing = this.#flush();
    });
  }

  async #flush(): Promise<void> {
    this.#cancel = undefined;
    const [lines, failures] = [this.#lines, this.#failures];
    if (lines.length === 0 && failures.length === 0) return;
    [this.#lines, this.#failures] = [[], []];
    try {
      await withDeadline(this.#clock, answerMs, this.#store(lines, failures), () => {
        throw new Error(`the database did not answer within ${answerMs} ms`);
      });
    } catch (error) {
      // At a level that is not noted here. The lines are in the log of the process.
      this.log.debug({ error: messageOf(error) }, 'the latest lines of this worker could not be stored');
    }
  }

  #store(lines: readonly JournalLine[], failures: readonly WorkerFailure[]): Promise<void> {
    return this.#database.transaction(async (transaction) => {
      const before = await readJournal(transaction, this.#worker);
      const row = {
        linesJson: JSON.stringify([...before.lines, ...lines].slice(-mostLines)),
        failuresJson: JSON.stringify([...before.failures, ...failures].slice(-mostFailures)),
        updatedAt: this.#clock.now(),
      };
      await transaction
        .insertInto('workerJournal')
        .values({ worker: this.#worker, ...row })
        .onConflict((conflict) => conflict.column('worker').doUpdateSet(row))
        .execute();
    });
  }
}
