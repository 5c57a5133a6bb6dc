import type { Alerts } from '../alert/alert.ts';
import type { Broker, OutgoingMessage } from '../broker/broker.ts';
import type { Queries } from '../database/database.ts';
import { newId } from '../ground/identity.ts';
import type { Ports } from '../ports/ports.ts';
import { everyPeriod, type Running, runService } from '../service/service.ts';
import type { Clock } from '../time/clock.ts';
import { WakeUp } from '../time/wake-up.ts';
import { fromColumns, toColumns } from './message-columns.ts';
import { RefusingQueues } from './refusing-queues.ts';

/**
 * Puts state and message into one transaction. A message is *written* with the state that causes it, *committed* or rolled back with it,
 * then *published* by the elected service, and deleted after that. A crash in between publishes it again (with the same id); it is
 * never lost, and never sent without its state. Messages for a queue that refuses them wait, in order, and raise an alert.
 *
 *     await database.transaction(async (transaction) => {
 *       await transaction.insertInto('mail').values(mail).execute();
 *       await outbox.add(transaction, 'deliver', { id: mail.id, body });
 *     });
 *     outbox.wake();
 */
export interface Outbox {
  /** Derive the message's id from its content, so that duplicates can be recognised. */
  add(transaction: Queries, queue: string, message: OutgoingMessage): Promise<void>;
  /** Call this after the commit; otherwise the messages are noticed up to a second later. */
  wake(): void;
  readonly wakeUp: WakeUp;
}

/** How often to poll as well: another process may have written messages. */
const pollMs = 1000;
const batchSize = 32;

export function createOutbox({ clock }: { clock: Clock }): Outbox {
  const wakeUp = new WakeUp();
  return {
    wakeUp,
    wake: () => wakeUp.wake(),
    async add(transaction, queue, message) {
      const row = { id: newId(clock), queue, ...toColumns(message), createdAt: clock.now() };
      await transaction.insertInto('outbox').values(row).execute();
    },
  };
}

type Publishing = Pick<Ports, 'clock' | 'database' | 'log' | 'openSession'> & { alerts: Alerts } & {
  broker: Pick<Broker, 'publish'>;
  outbox: Outbox;
};

/** Publishes committed messages, queue by queue in the order added: an elected service. */
export function runOutbox(parts: Publishing): Running {
  const { clock, log, openSession, outbox } = parts;
  return runService({
    name: 'outbox',
    clock,
    log,
    openSession,
    async run({ signal }) {
      const refusing = new RefusingQueues({ ...parts, alertKind: 'outbox.stuck' });
      const loop = { name: 'outbox', clock, log, periodMs: pollMs, signal, wakeUp: outbox.wakeUp };
      await everyPeriod(loop, async () => {
        const queues = (await waitingQueues(parts.database.query)).filter((queue) => refusing.mayTry(queue));
        const more = await Promise.all(queues.map((queue) => publishSome(parts, queue, refusing)));
        return more.includes(true) ? 0 : undefined;
      });
    },
  });
}

/** Publishes the next messages of a queue, one after another, to keep their order. Resolves to whether more are waiting. */
async function publishSome(
  { broker, database }: Publishing,
  queue: string,
  refusing: RefusingQueues,
): Promise<boolean> {
  const rows = await database.query
    .selectFrom('outbox')
    .selectAll()
    .where('queue', '=', queue)
    .orderBy('id')
    .limit(batchSize)
    .execute();
  const published: string[] = [];
  let refusal: unknown;
  for (const row of rows) {
    try {
      await broker.publish(queue, fromColumns(row));
      published.push(row.id);
    } catch (error) {
      refusal = error;
      break;
    }
  }
  if (published.length > 0) {
    await database.query.deleteFrom('outbox').where('id', 'in', published).execute();
    await refusing.accepted(queue);
  }
  if (refusal !== undefined) await refusing.refused(queue, refusal);
  return refusal === undefined && rows.length === batchSize;
}

/** The queues with messages in the outbox. Each step looks up the next name in the index, without reading rows. */
async function waitingQueues(queries: Queries): Promise<string[]> {
  const queues: string[] = [];
  for (let last = ''; ; ) {
    const next = await queries
      .selectFrom('outbox')
      .select('queue')
      .where('queue', '>', last)
      .orderBy('queue')
      .limit(1)
      .executeTakeFirst();
    if (!next) return queues;
    last = next.queue;
    queues.push(last);
  }
}
