import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { ClockWatch } from '../health/clock-watch.ts';
import { QuietWarnings } from '../log/quiet-warnings.ts';
import type { Clock } from '../time/clock.ts';
import { endsWithin } from '../time/deadline.ts';
import { addMinute, type HistoryRow, hourMs, minuteMs, rollUpHistory } from './history-store.ts';
import { HistorySum } from './history-sum.ts';
import type { Measured } from './measured.ts';

/** While the database is away. Older minutes are given up. */
const mostUnwritten = 30;
const leavingMs = 2_000;

interface RecorderParts {
  database: Database;
  clock: Clock;
  log: Logger;
  clockWatch?: ClockWatch;
}

/** Gathers what was measured in a minute, and stores it when the minute is over: a leader that is killed loses at most that minute. */
export class HistoryRecorder {
  readonly #parts: RecorderParts;
  readonly #warnings: QuietWarnings;
  #minute: { at: number; sum: HistorySum } | undefined;
  #unwritten: HistoryRow[] = [];
  #rolledUpFor = Number.NaN;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#warnings = new QuietWarnings(parts.log, parts.clock);
  }

  /** One look at all levels, with what was counted since the look before. */
  addLook(at: number, measured: readonly Measured[]): void {
    this.#at(at).addLook(measured);
  }

  addCounts(at: number, measured: readonly Measured[]): void {
    if (measured.length > 0) this.#at(at).addCounts(measured);
  }

  /** Writes the minutes that are over. Never fails: they are kept for the next time. */
  async write(now: number): Promise<void> {
    const { database, clockWatch } = this.#parts;
    if (this.#minute && this.#minute.at !== now - (now % minuteMs)) this.#endMinute();
    try {
      for (let row = this.#unwritten[0]; row; row = this.#unwritten[0]) {
        await addMinute(database, row);
        this.#unwritten.shift();
      }
      const hour = now - (now % hourMs);
      if (hour !== this.#rolledUpFor) {
        await rollUpHistory(database, now, clockWatch?.retention.now());
        this.#rolledUpFor = hour;
      }
      this.#warnings.end();
    } catch (error) {
      this.#warnings.warn('the history of queues and rates can’t be written', error);
    }
  }

  async close(): Promise<void> {
    this.#endMinute();
    const { clock } = this.#parts;
    await endsWithin(clock, leavingMs, this.write(clock.now()));
  }

  #at(at: number): HistorySum {
    const minute = at - (at % minuteMs);
    if (this.#minute?.at !== minute) {
      this.#endMinute();
      this.#minute = { at: minute, sum: new HistorySum() };
    }
    return this.#minute.sum;
  }

  #endMinute(): void {
    const ended = this.#minute;
    this.#minute = undefined;
    if (!ended) return;
    this.#unwritten.push({ at: ended.at, ...ended.sum.part });
    this.#unwritten = this.#unwritten.slice(-mostUnwritten);
  }
}
