import type { LastingConnection, Statement } from '../../database/postgres/lasting-connection.ts';
import type { Cancellable, DeadLetterChoice, DeadLetterFilter, QueueOptions } from '../broker.ts';
import { isFilter } from '../dead-letter-filter.ts';
import type { Administration } from './administration.ts';
import { type Notice, noticesOf } from './notices.ts';

/** Maximum number of messages that one statement changes: others get their turn in between. */
const step = 2000;

const declare: Statement = {
  name: 'declare',
  text: `INSERT INTO queue (name, max_length) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET max_length = CASE WHEN $3::boolean THEN excluded.max_length ELSE queue.max_length END`,
};
const pause: Statement = { name: 'pause', text: 'UPDATE queue SET paused = $2 WHERE number = $1' };
/** Takes the name away, so that it can be used again while the messages are being deleted. */
const retire: Statement = { name: 'retire', text: 'UPDATE queue SET name = NULL WHERE number = $1' };
const deleteSome: Statement = {
  name: 'delete-some',
  text: `DELETE FROM message WHERE seq = ANY (ARRAY(
      SELECT seq FROM message WHERE queue = $1 AND state = 0 UNION ALL SELECT seq FROM message WHERE queue = $1 AND state = 1
      UNION ALL SELECT seq FROM message WHERE queue = $1 AND state = 2 LIMIT $2))
    RETURNING 1`,
};
const forget: Statement = {
  name: 'forget-queue',
  text: 'DELETE FROM queue WHERE number = $1 AND name IS NULL',
};
const forgetCounts: Statement = { name: 'forget-counts', text: 'DELETE FROM counts WHERE queue = $1' };
const lastPlace: Statement = {
  name: 'last-place',
  text: `SELECT last_value FROM pg_sequences WHERE schemaname = 'pismak_broker' AND sequencename = 'message_seq_seq'`,
};
const purgeSome: Statement = {
  name: 'purge-some',
  text: `DELETE FROM message WHERE seq = ANY (ARRAY(
      SELECT seq FROM message WHERE queue = $1 AND state = 0 AND seq <= $2 AND seq NOT IN (SELECT seq FROM running)
      UNION ALL SELECT seq FROM message WHERE queue = $1 AND state = 1 AND seq <= $2 LIMIT $3))
    AND state <> 2 RETURNING 1`,
};

const nextDead = `SELECT seq FROM message WHERE queue = $1 AND state = 2 AND seq > $2
  AND ($3::text[] IS NULL OR id = ANY($3)) ORDER BY seq LIMIT $4 FOR UPDATE`;
const redriveSome: Statement = {
  name: 'redrive-some',
  text: `UPDATE message SET state = 0, attempts = 0 WHERE seq = ANY (ARRAY(${nextDead})) RETURNING seq`,
};
const discardSome: Statement = {
  name: 'discard-some',
  text: `DELETE FROM message WHERE seq = ANY (ARRAY(${nextDead})) RETURNING seq`,
};
const redriveThese: Statement = {
  name: 'redrive-these',
  text: 'UPDATE message SET state = 0, attempts = 0 WHERE seq = ANY ($1::bigint[]) AND state = 2 RETURNING seq',
};
const discardThese: Statement = {
  name: 'discard-these',
  text: 'DELETE FROM message WHERE seq = ANY ($1::bigint[]) AND state = 2 RETURNING seq',
};

/** Changes to whole queues. Consumers are notified. */
export class QueueChanges {
  readonly #connection: LastingConnection;
  readonly #administration: Administration;
  readonly #process: () => number;

  constructor(connection: LastingConnection, administration: Administration, process: () => number) {
    this.#connection = connection;
    this.#administration = administration;
    this.#process = process;
  }

  async declare(name: string, { maxLength }: QueueOptions): Promise<void> {
    await this.#connection.query(declare, [name, maxLength ?? null, maxLength !== undefined]);
  }

  async remove(name: string): Promise<void> {
    const number = await this.#administration.find(name);
    await this.#connection.together([
      [retire, [number]],
      this.#notice({ queue: name, kind: 'changed', first: 0 }),
    ]);
    await this.finishRemoval(number);
  }

  /** Deletes the messages of a removed queue; another process may do the same. */
  async finishRemoval(number: number): Promise<void> {
    while ((await this.#connection.query(deleteSome, [number, step])).length > 0);
    await this.#connection.together([
      [forget, [number]],
      [forgetCounts, [number]],
    ]);
  }

  async setPaused(name: string, paused: boolean): Promise<void> {
    const number = await this.#administration.find(name);
    await this.#connection.together([
      [pause, [number, paused]],
      this.#notice({ queue: name, kind: 'changed', first: 0 }),
    ]);
  }

  /** Messages published in the meantime stay. */
  async purge(name: string): Promise<number> {
    const number = await this.#administration.find(name);
    const [last] = await this.#connection.query<[number]>(lastPlace);
    for (let total = 0; ; ) {
      const deleted = await this.#connection.query(purgeSome, [number, last?.[0] ?? 0, step]);
      total += deleted.length;
      if (deleted.length > 0) continue;
      const [notify, values] = this.#notice({ queue: name, kind: 'changed', first: 0 });
      await this.#connection.query(notify, values);
      return total;
    }
  }

  async redrive(name: string, which?: DeadLetterChoice, how?: Cancellable): Promise<number> {
    const notice = { queue: name, kind: 'high', first: 0 } as const;
    if (isFilter(which)) return this.#eachMatching(redriveThese, name, which, how, notice);
    return this.#eachDead(redriveSome, name, which, how, notice);
  }

  async discard(name: string, which?: DeadLetterChoice, how?: Cancellable): Promise<number> {
    if (isFilter(which)) return this.#eachMatching(discardThese, name, which, how);
    return this.#eachDead(discardSome, name, which, how);
  }

  async #eachMatching(
    statement: Statement,
    name: string,
    filter: DeadLetterFilter,
    { signal }: Cancellable = {},
    notice?: Notice,
  ): Promise<number> {
    let total = 0;
    const number = await this.#administration.find(name);
    for await (const places of this.#administration.matching(number, filter, signal)) {
      if (places.length === 0) continue;
      const [rows = []] = await this.#connection.together([
        [statement, [places]],
        ...(notice ? [this.#notice(notice)] : []),
      ]);
      total += rows.length;
    }
    return total;
  }

  /** In the order of their places, so that a message that dies again in the meantime is not handled twice. */
  async #eachDead(
    statement: Statement,
    name: string,
    ids: readonly string[] | undefined,
    { signal }: Cancellable = {},
    notice?: Notice,
  ): Promise<number> {
    const number = await this.#administration.find(name);
    let total = 0;
    for (let after = 0; ; ) {
      signal?.throwIfAborted();
      const [rows = []] = await this.#connection.together([
        [statement, [number, after, ids ?? null, step]],
        ...(notice ? [this.#notice(notice)] : []),
      ]);
      total += rows.length;
      if (rows.length < step) return total;
      after = Math.max(...rows.map((row) => Number(row[0])));
    }
  }

  #notice(notice: Notice) {
    return noticesOf([notice], this.#process());
  }
}
