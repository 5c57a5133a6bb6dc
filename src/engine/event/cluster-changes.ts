import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { QuietWarnings } from '../log/quiet-warnings.ts';
import type { Clock } from '../time/clock.ts';
import { withDeadline } from '../time/deadline.ts';
import { type Change, type ChangeLog, everythingChanged, keptChanges, type NewChange } from './change-log.ts';
import { appendChanges, changesAfter, changesChannel, latestChanges, pruneChanges } from './change-table.ts';
import { joinChanges } from './join-changes.ts';
import { RecentChanges } from './recent-changes.ts';

/**
 * Time between two batches of a process. A NOTIFY in each transaction of the work would serialise all commits; in batches, a process has
 * at most ten a second. The first change after a pause is written at once.
 */
const batchMs = 100;
const mostInBatch = 1_000;
/** Without an answer for this long, the changes of this process are told here without a number. */
const patienceMs = 1_000;
const againMs = 1_000;
const pruneEvery = 500;
/** What a process that starts can tell to a client that comes back. */
const firstRead = 2_000;

/**
 * The list of a cluster: rows of one table. Every process writes its changes there in batches, and tells only what it reads there, so everyone
 * hears of everything in one order. While the database is gone, a process tells its own changes here at once and writes them later.
 */
export class ClusterChanges implements ChangeLog {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #warnings: QuietWarnings;
  readonly #joined: ReturnType<typeof joinChanges>;
  readonly #recent: RecentChanges;
  #listening: { close(): Promise<void> } | undefined;
  #pending: Omit<Change, 'id'>[] = [];
  #isAway = false;
  #writing: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #lastWriteAt = Number.NEGATIVE_INFINITY;
  #unpruned = 0;
  #reading: Promise<void> = Promise.resolve();
  #nextReading: Promise<void> | undefined;
  #closed = false;

  /** A process that only tells, such as a worker, doesn't `follow`. */
  static async open(parts: {
    database: Database;
    clock: Clock;
    log: Logger;
    follow: boolean;
  }): Promise<ClusterChanges> {
    const latest = parts.follow ? await latestChanges(parts.database, firstRead) : [];
    const log = new ClusterChanges(parts, latest);
    if (parts.follow) {
      await pruneChanges(parts.database, keptChanges);
      // Calls back as soon as it listens, so nothing falls between the first reading and this.
      log.#listening = await parts.database.listen?.(changesChannel, () => void log.#read());
    }
    return log;
  }

  private constructor(
    { database, clock, log }: { database: Database; clock: Clock; log: Logger },
    latest: readonly (Change & { id: number })[],
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#warnings = new QuietWarnings(log, clock);
    this.#joined = joinChanges(clock, (change) => this.add(change));
    const [oldest, ...others] = latest;
    this.#recent = new RecentChanges(keptChanges, oldest?.id ?? 0);
    for (const change of others) this.#recent.push(change);
  }

  get lastId(): number {
    return this.#recent.lastId;
  }

  add(partial: NewChange): void {
    const change = { ...partial, at: this.#clock.now() };
    if (this.#pending.length >= keptChanges)
      this.#pending = [{ kind: everythingChanged, entity: '', at: change.at }];
    this.#pending.push(change);
    if (this.#isAway) this.#recent.tell({ ...change, id: null });
    this.#writeSoon();
  }

  addJoined(change: NewChange): void {
    this.#joined.add(change);
  }

  async reach(id: number): Promise<void> {
    if (id > this.lastId) await this.#read();
  }

  since(id: number): Change[] | undefined {
    return this.#recent.since(id);
  }

  subscribe(listener: (change: Change) => void): () => void {
    return this.#recent.subscribe(listener);
  }

  async close(): Promise<void> {
    this.#joined.close();
    this.#closed = true;
    this.#cancel?.();
    await this.#writing;
    if (this.#pending.length > 0 && !this.#isAway)
      await withDeadline(this.#clock, patienceMs, this.#write(), () => {});
    await this.#listening?.close();
  }

  #writeSoon(): void {
    if (this.#writing || this.#cancel || this.#closed) return;
    const ms = this.#isAway ? againMs : Math.max(0, this.#lastWriteAt + batchMs - this.#clock.now());
    this.#cancel = this.#clock.after(Math.min(ms, againMs), () => {
      this.#cancel = undefined;
      this.#writing = this.#write().finally(() => {
        this.#writing = undefined;
        if (this.#pending.length > 0) this.#writeSoon();
      });
    });
  }

  async #write(): Promise<void> {
    const batch = this.#pending.splice(0, mostInBatch);
    this.#lastWriteAt = this.#clock.now();
    const cancel = this.#clock.after(patienceMs, () => this.#goAlone(batch));
    try {
      await appendChanges(this.#database, batch);
      this.#isAway = false;
      this.#warnings.end();
      this.#unpruned += batch.length;
      if (this.#unpruned >= pruneEvery) {
        this.#unpruned = 0;
        await pruneChanges(this.#database, keptChanges);
      }
    } catch (error) {
      this.#warnings.warn('changes reach only the clients of this process; trying again', error);
      this.#goAlone(batch);
      this.#pending.unshift(...batch);
    } finally {
      cancel();
    }
  }

  /** Tells here what the cluster can't hear now. */
  #goAlone(batch: readonly Omit<Change, 'id'>[]): void {
    if (this.#isAway) return;
    this.#isAway = true;
    for (const change of [...batch, ...this.#pending]) this.#recent.tell({ ...change, id: null });
  }

  /** Reads what is new. Begins after the call, so it finds everything that was there before. */
  #read(): Promise<void> {
    this.#nextReading ??= this.#reading.then(() => {
      this.#reading = this.#readAll();
      this.#nextReading = undefined;
      return this.#reading;
    });
    return this.#nextReading;
  }

  async #readAll(): Promise<void> {
    if (this.#closed) return;
    try {
      let count = 0;
      for (;;) {
        const changes = await changesAfter(this.#database, this.lastId, mostInBatch);
        count += changes.length;
        for (const change of changes) {
          if (change.kind === everythingChanged) this.#recent.startAfter(change);
          else this.#recent.push(change);
        }
        if (changes.length < mostInBatch) break;
      }
      // The table keeps the latest only. Having read fewer, this process can't have missed any.
      if (count >= keptChanges)
        this.#recent.startAfter({
          id: this.lastId,
          at: this.#clock.now(),
          kind: everythingChanged,
          entity: '',
        });
    } catch (error) {
      if (!this.#closed) this.#warnings.warn('changes of other processes are not heard', error);
      // The connection that listens is back before long, and then calls.
    }
  }
}
