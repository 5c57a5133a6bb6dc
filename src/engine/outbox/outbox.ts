import type { Broker, OutgoingMessage } from '../broker/broker.ts';
import type { Queries } from '../database/database.ts';
import type { Engine } from '../engine.ts';
import { newId } from '../identity.ts';
import { everyPeriod, type Running, runService } from '../service/service.ts';
import { Bell } from '../time/bell.ts';
import type { Clock } from '../time/clock.ts';
import { fromColumns, toColumns } from './message-columns.ts';
import { RefusingQueues } from './refusing-queues.ts';
import { waitingQueues } from './waiting-queues.ts';

/**
 * State and message in one: a message is written in the transaction that gives the reason for it, and published after
 * that has committed. It may be published twice (with the same id), but is never lost and never sent for nothing.
 *
 *     await database.transaction(async (transaction) => {
 *       await transaction.insertInto('mail').values(mail).execute();
 *       await outbox.add(transaction, 'deliver', { id: mail.id, body });
 *     });
 *     outbox.wake();
 */
export interface Outbox {
  /** The message's id should follow from what it stands for, so that doing the same again can be recognised. */
  add(transaction: Queries, queue: string, message: OutgoingMessage): Promise<void>;
  /** To be called after the commit: otherwise it takes a second until the messages are noticed. */
  wake(): void;
  readonly bell: Bell;
}

/** When nobody rings: another process may have written something. */
const pollMs = 1000;
const batchSize = 32;

export function createOutbox({ clock }: { clock: Clock }): Outbox {
  const bell = new Bell();
  return {
    bell,
    wake: () => bell.ring(),
    async add(transaction, queue, message) {
      const row = { id: newId(clock), queue, ...toColumns(message), createdAt: clock.now() };
      await transaction.insertInto('outbox').values(row).execute();
    },
  };
}

type Parts = Pick<Engine, 'alerts' | 'clock' | 'database' | 'log' | 'openSession'> & {
  broker: Pick<Broker, 'publish'>;
  outbox: Outbox;
};

/** Publishes what was committed, queue by queue in the order of adding: an elected service. */
export function runOutbox(parts: Parts): Running {
  const { clock, log, openSession, outbox } = parts;
  return runService({
    name: 'outbox',
    clock,
    log,
    openSession,
    async run({ signal }) {
      const refusing = new RefusingQueues({ ...parts, alertKind: 'outbox.stuck' });
      const loop = { name: 'outbox', clock, log, periodMs: pollMs, signal, bell: outbox.bell };
      await everyPeriod(loop, async () => {
        const queues = (await waitingQueues(parts.database.query, 'outbox')).filter((queue) =>
          refusing.mayTry(queue),
        );
        const more = await Promise.all(queues.map((queue) => publishSome(parts, queue, refusing)));
        return more.includes(true) ? 0 : undefined;
      });
    },
  });
}

/** Publishes the next messages of a queue, one after another so that their order holds. Resolves to whether more wait. */
async function publishSome(
  { broker, database }: Parts,
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
