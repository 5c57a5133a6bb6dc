import type { Events } from '../event/event.ts';
import { messageOf } from '../ground/errors.ts';
import type { ClockWatch } from '../health/clock-watch.ts';
import type { Ports } from '../ports/ports.ts';
import { withDeadline } from '../time/deadline.ts';
import type { TraceEvent, TracePeriod } from '../trace/trace-period.ts';
import { pruneTrace, writePeriod } from '../trace/trace-store.ts';
import type { Readings } from './snapshot.ts';
import type { Move } from './status.ts';
import { QueueLengths } from './trace-queue-lengths.ts';
import { WorkerStates } from './trace-worker-states.ts';

/** One database row per period: always 8,640 a day. */
const periodMs = 10_000;
/** A reader starts at most this long before the time it wants. */
const wholeEveryMs = 300_000;
const pruneEveryMs = 600_000;
/** Planning and stopping must not wait for an unreachable database. */
const patienceMs = 3_000;
/** After a pause this long between two looks, the time in between is unknown. */
const blindMs = 15_000;

type Recording = Pick<Ports, 'clock' | 'database' | 'log' | 'settings'> & { events: Events } & Partial<{
    clockWatch: ClockWatch;
  }>;
type Begun = Omit<TracePeriod, 'until'>;

/** Reports and stores what the watchdog's leader sees: what workers do, and how long the queues are. */
export class TraceRecorder {
  readonly #parts: Recording;
  #states = new WorkerStates();
  #lengths = new QueueLengths();
  readonly #stages = new Set<string>();
  #period: Begun | undefined;
  #seenAt = 0;
  #wholeAt = 0;
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Recording) {
    this.#parts = parts;
  }

  /** Call this in each round. */
  async see({ workers, queues, stages }: Readings, moves: readonly Move[]): Promise<void> {
    const { clock, events, settings } = this.#parts;
    const at = clock.now();
    const wasBlind = at - this.#seenAt > Math.max(blindMs, 3 * settings.watchdog.periodMs);
    // A clock that was set back would make a period that doesn't end.
    if (wasBlind || at < this.#seenAt) await this.close();
    const isNew = this.#period === undefined;
    this.#period ??= this.#begin(at);
    const period = this.#period;
    const isOver = at - period.since >= periodMs;

    const told = [
      ...moves.map(assigned),
      ...this.#states.look(workers, at, period.since),
      ...this.#lengths.look(queues, at, { urgent: !isNew && !isOver }),
    ];
    for (const event of told) events.emit(event);
    for (const { name } of stages) this.#stages.add(name);
    period.events.push(...told.filter((event) => this.#isForAll(event)));
    this.#seenAt = at;
    if (isOver) await this.#end(period, at);
  }

  /** Writes the events that are not written yet. */
  async close(): Promise<void> {
    const period = this.#period;
    this.#period = undefined;
    if (period && this.#seenAt > period.since) await this.#write({ ...period, until: this.#seenAt });
  }

  #begin(at: number): Begun {
    this.#states = new WorkerStates();
    this.#lengths = new QueueLengths();
    this.#wholeAt = at;
    return { since: at, whole: true, events: [] };
  }

  async #end(period: Begun, at: number): Promise<void> {
    const written = await this.#write({ ...period, until: at });
    const whole = at - this.#wholeAt >= wholeEveryMs;
    if (whole) this.#wholeAt = at;
    const standing = whole ? [...this.#states.all(at), ...this.#lengths.all(at)] : [];
    const events = standing.filter((event) => this.#isForAll(event));
    // A failed write is a gap, and after a gap the complete state is recorded.
    this.#period = written ? { since: at, whole, events } : undefined;
  }

  /** Output queues belong to their owners, so they are not part of the public trace. */
  #isForAll({ kind, entity }: TraceEvent): boolean {
    return kind !== 'queue.length' || this.#stages.has(entity);
  }

  async #write(period: TracePeriod): Promise<boolean> {
    const { clock, log } = this.#parts;
    try {
      await withDeadline(clock, patienceMs, this.#store(period), () => {
        throw new Error('the database is slow or unreachable');
      });
      return true;
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'the trace has a gap: it could not be written');
      return false;
    }
  }

  async #store(period: TracePeriod): Promise<void> {
    const { clock, clockWatch, database, settings } = this.#parts;
    await writePeriod(this.#parts, period);
    if (Math.abs(clock.now() - this.#prunedAt) < pruneEveryMs) return;
    this.#prunedAt = clock.now();
    await pruneTrace(database, settings.trace, clockWatch?.retention.now() ?? clock.now());
  }
}

function assigned({ at, worker, from, to }: Move): TraceEvent {
  return { kind: 'worker.assigned', entity: worker, at, dimensions: { stage: to, from: from ?? '' } };
}
