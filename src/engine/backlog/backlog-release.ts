import { queueLength } from '../broker/broker.ts';
import type { Engine } from '../engine.ts';
import { fromColumns } from '../outbox/message-columns.ts';
import { RefusingQueues } from '../outbox/refusing-queues.ts';
import { waitingQueues } from '../outbox/waiting-queues.ts';
import { everyPeriod, type Running, runService } from '../service/service.ts';
import type { Backlog } from './backlog.ts';
import { dueItems, dueOwners } from './backlog-queries.ts';
import { FairTurns, type Owner } from './fair-turns.ts';

type Parts = Pick<Engine, 'alerts' | 'broker' | 'clock' | 'database' | 'log' | 'openSession'> & {
  backlog: Backlog;
  /** How many messages of the queue can be processed at once. */
  slots(queue: string): Promise<number>;
};

const idleMs = 1000;
const busyMs = 50;
const messagesPerSlot = 4;
const mostPerRound = 256;

/** Releases items fairly between owners, and no more than the queue needs soon: an elected service. */
export function runBacklog(parts: Parts): Running {
  const { backlog, clock, database, log, openSession } = parts;
  return runService({
    name: 'backlog',
    clock,
    log,
    openSession,
    async run({ signal }) {
      const refusing = new RefusingQueues({ ...parts, alertKind: 'backlog.stuck' });
      const releases = new Map<string, QueueRelease>();
      let pauseMs = idleMs;
      const loop = { name: 'backlog', clock, log, periodMs: idleMs, signal, bell: backlog.bell };
      await everyPeriod(loop, async () => {
        const queues = await waitingQueues(database.query, 'backlog');
        for (const queue of releases.keys()) if (!queues.includes(queue)) releases.delete(queue);
        const moved = await Promise.all(
          queues
            .filter((queue) => refusing.mayTry(queue))
            .map((queue) => {
              const release = releases.get(queue) ?? new QueueRelease(queue, parts, refusing);
              releases.set(queue, release);
              return release.round();
            }),
        );
        // Short tasks need frequent rounds, long ones rare rounds.
        pauseMs = moved.some((count) => count > 0) ? busyMs : Math.min(2 * pauseMs, idleMs);
        return pauseMs;
      });
    },
  });
}

/** The release of one queue, and its state between rounds. */
class QueueRelease {
  readonly #queue: string;
  readonly #parts: Parts;
  readonly #refusing: RefusingQueues;
  readonly #turns = new FairTurns();
  #lengthAfter = 0;

  constructor(queue: string, parts: Parts, refusing: RefusingQueues) {
    this.#queue = queue;
    this.#parts = parts;
    this.#refusing = refusing;
  }

  /** Resolves to how many items were released. */
  async round(): Promise<number> {
    const { broker, clock, database } = this.#parts;
    try {
      const status = await broker.status(this.#queue);
      const length = queueLength(status);
      const room = status.paused ? 0 : await this.#room(length, status.maxLength);
      this.#lengthAfter = length;
      if (room <= 0) return 0;
      const owners = await dueOwners(database.query, this.#queue, clock.now()).execute();
      const turns = Map.groupBy(this.#turns.plan(owners, room), (name) => name);
      const published: string[] = [];
      const releases = owners.map((owner) =>
        this.#release(owner, turns.get(owner.name)?.length ?? 0, published),
      );
      // Wait for all, even if one fails: the next round must not overlap this one.
      const ends = await Promise.allSettled(releases);
      if (published.length > 0)
        await database.query.deleteFrom('backlog').where('id', 'in', published).execute();
      const failure = ends.find((end) => end.status === 'rejected');
      if (failure) throw failure.reason;
      const released = published.length;
      this.#lengthAfter += released;
      if (released > 0) await this.#refusing.accepted(this.#queue);
      return released;
    } catch (error) {
      await this.#refusing.refused(this.#queue, error);
      return 0;
    }
  }

  /** Room for four messages per slot; more when even that was used up between two rounds. */
  async #room(length: number, maxLength: number | null): Promise<number> {
    const slots = Math.max(1, await this.#parts.slots(this.#queue));
    const used = Math.max(0, this.#lengthAfter - length);
    const target = Math.max(messagesPerSlot * slots, 2 * used);
    return Math.min(target - length, (maxLength ?? Number.POSITIVE_INFINITY) - length, mostPerRound);
  }

  /** Releases one item after another, to keep the owner's order. Owners run in parallel. */
  async #release(owner: Owner, count: number, published: string[]): Promise<void> {
    if (count === 0) return;
    const { broker, clock, database } = this.#parts;
    for (const item of await dueItems(
      database.query,
      this.#queue,
      owner.name,
      clock.now(),
      count,
    ).execute()) {
      await broker.publish(this.#queue, fromColumns(item));
      published.push(item.id);
      this.#turns.charge(owner, 1);
    }
  }
}
