import type { LastingConnection, Statement } from '../../database/postgres/lasting-connection.ts';
import type {
  Cancellable,
  DeadLetterFilter,
  FoundDeadLetters,
  Page,
  QueueStatus,
  StoredMessage,
} from '../broker.ts';
import { pageOf } from '../checks.ts';
import { bytesAtOnce, letterMatcher } from '../dead-letter-filter.ts';
import { fromSeenRow, messageColumns, type SeenRow } from '../message-row.ts';
import { claimed, firstClaimed, readyFrom } from './claim-statements.ts';
import type { Floors } from './floors.ts';
import { unknown } from './publisher.ts';

const find: Statement = { name: 'find-queue', text: 'SELECT number FROM queue WHERE name = $1' };
/** A message fetched ahead still counts as ready: it can be released. The oldest is claimed, or it stands after the floor. */
export const readStatus: Statement = {
  name: 'status',
  text: `
    WITH started AS MATERIALIZED (
      SELECT queue, count(*) AS all, count(*) FILTER (WHERE lane = 0) AS high FROM running
      WHERE seq >= (${firstClaimed}) GROUP BY queue),
    ahead AS MATERIALIZED (
      SELECT m.queue, min(m.published_at) AS oldest FROM (${claimed}) AS a (seq)
      CROSS JOIN LATERAL (SELECT queue, published_at, state FROM message WHERE seq = a.seq OFFSET 0) AS m
      WHERE m.state = 0 AND NOT EXISTS (SELECT FROM running WHERE running.seq = a.seq) GROUP BY m.queue)
    SELECT name, coalesce(c.high, 0) - coalesce(started.high, 0),
      coalesce(c.normal, 0) - coalesce(started.all - started.high, 0),
      coalesce(c.delayed, 0), coalesce(started.all, 0), coalesce(c.dead, 0),
      least(ahead.oldest, ${oldest('0', 'high')}, ${oldest('1', 'normal')}), paused, max_length
    FROM queue
    CROSS JOIN LATERAL counted(number) AS c
    LEFT JOIN unnest($2::text[], $3::bigint[], $4::bigint[]) AS floor (queue, high, normal) ON floor.queue = name
    LEFT JOIN started ON started.queue = number
    LEFT JOIN ahead ON ahead.queue = number
    WHERE name IS NOT NULL AND ($1::text IS NULL OR name = $1)`,
};
type StatusRow = [string, number, number, number, number, number, number | null, boolean, number | null];

const seenColumns = messageColumns.replaceAll(/\w+/g, 'm.$&');
export const peek: Statement = {
  name: 'peek',
  text: `
    SELECT ${seenColumns}, CASE WHEN m.state = 1 THEN 1 ELSE 0 END, m.ready_at FROM (
      (SELECT seq, lane, 0 AS later, NULL::bigint AS due FROM message
        WHERE queue = $1 AND state = 0 AND NOT EXISTS (SELECT FROM running WHERE running.seq = message.seq)
        ORDER BY lane, seq LIMIT $2::bigint + $3::bigint)
      UNION ALL
      (SELECT seq, 0, 1, ready_at FROM message
        WHERE state = 1 AND (queue, ready_at) >= ($1, 0) AND queue <= $1 ORDER BY queue, ready_at, seq LIMIT $2::bigint + $3::bigint)
    ) AS place CROSS JOIN LATERAL (SELECT * FROM message WHERE seq = place.seq OFFSET 0) AS m
    ORDER BY later, place.lane, due, place.seq OFFSET $2 LIMIT $3`,
};
const existing: Statement = {
  name: 'which-exist',
  text: `
    SELECT DISTINCT asked.name FROM message JOIN unnest($1::text[]) AS asked (name) ON asked.name = split_part(message.id, '/', 1)`,
};
const listDead: Statement = {
  name: 'dead',
  text: `SELECT ${seenColumns}, 2, NULL FROM message AS m WHERE queue = $1 AND state = 2 ORDER BY seq OFFSET $2 LIMIT $3`,
};

const examined = 'seq, id, published_at, headers, history';
const examine: Statement = {
  name: 'examine-dead',
  text: `SELECT ${examined}, ''::bytea FROM message WHERE queue = $1 AND state = 2 AND seq > $2 ORDER BY seq LIMIT $3`,
};
/** As many as have these bytes together, but at least one. */
const examineBodies: Statement = {
  name: 'examine-dead-bodies',
  text: `
    SELECT ${examined}, (SELECT body FROM message AS whole WHERE whole.seq = sized.seq) FROM (
      SELECT ${examined}, row_number() OVER (ORDER BY seq) AS number, sum(octet_length(body)) OVER (ORDER BY seq) AS bytes
      FROM (SELECT * FROM message WHERE queue = $1 AND state = 2 AND seq > $2 ORDER BY seq LIMIT $3) AS next) AS sized
    WHERE number = 1 OR bytes <= ${bytesAtOnce} ORDER BY seq`,
};
const listThese: Statement = {
  name: 'dead-at',
  text: `SELECT ${seenColumns}, 2, NULL FROM message AS m WHERE seq = ANY ($1::bigint[]) AND state = 2 ORDER BY seq`,
};
type ExaminedRow = [
  seq: number,
  id: string,
  publishedAt: number,
  headers: string | null,
  history: string | null,
  body: Uint8Array,
];

/** Dead letters that are examined at once. */
const step = 2000;

/** Reads queues without changing them. */
export class Administration {
  readonly #connection: LastingConnection;
  readonly #floors: Floors;

  constructor(connection: LastingConnection, floors: Floors) {
    this.#connection = connection;
    this.#floors = floors;
  }

  /** Number of the queue; `queue-unknown` if there is no queue of that name. */
  async find(name: string): Promise<number> {
    // The server allows no NUL in text, so there is no such queue.
    const [row] = name.includes('\0') ? [] : await this.#connection.query<[number]>(find, [name]);
    if (!row) throw unknown(name);
    return row[0];
  }

  async status(name: string | null): Promise<QueueStatus[]> {
    const rows = await this.#connection.query<StatusRow>(readStatus, [name, ...this.#floors.columns()]);
    const all = rows.map(([name, high, normal, delayed, inFlight, dead, oldestAt, paused, maxLength]) => ({
      name,
      ready: { high, normal },
      delayed,
      inFlight,
      dead,
      oldestAt,
      paused,
      maxLength,
    }));
    return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  peek(name: string, page?: Page): Promise<StoredMessage[]> {
    return this.#list(peek, name, page);
  }

  async whichExist(names: readonly string[]): Promise<string[]> {
    return (await this.#connection.query<[string]>(existing, [names])).map(([name]) => name);
  }

  dead(name: string, page?: Page): Promise<StoredMessage[]> {
    return this.#list(listDead, name, page);
  }

  async findDead(
    name: string,
    filter: DeadLetterFilter,
    { signal, ...page }: Page & Cancellable = {},
  ): Promise<FoundDeadLetters> {
    const { offset, limit } = pageOf(page);
    const shown: number[] = [];
    let count = 0;
    for await (const places of this.matching(await this.find(name), filter, signal)) {
      const skipped = Math.max(0, offset - count);
      shown.push(...places.slice(skipped, skipped + limit - shown.length));
      count += places.length;
    }
    const rows = shown.length === 0 ? [] : await this.#connection.query<SeenRow>(listThese, [shown]);
    return { count, messages: rows.map(fromSeenRow) };
  }

  /** The places of dead letters that match, step by step in their order. */
  async *matching(
    number: number,
    filter: DeadLetterFilter,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<number[]> {
    const matches = letterMatcher(filter);
    const statement = filter.text === undefined ? examine : examineBodies;
    for (let after = 0; ; ) {
      signal?.throwIfAborted();
      const rows = await this.#connection.query<ExaminedRow>(statement, [number, after, step]);
      if (rows.length === 0) return;
      after = Math.max(...rows.map(([seq]) => seq));
      const found = rows.filter(([, id, publishedAt, headers, history, body]) =>
        matches({
          id,
          publishedAt,
          headers: JSON.parse(headers ?? '{}'),
          history: JSON.parse(history ?? '[]'),
          body,
        }),
      );
      yield found.map(([seq]) => seq);
    }
  }

  async #list(statement: Statement, name: string, page?: Page): Promise<StoredMessage[]> {
    const { offset, limit } = pageOf(page);
    const rows = await this.#connection.query<SeenRow>(statement, [await this.find(name), offset, limit]);
    return rows.map(fromSeenRow);
  }
}

function oldest(lane: string, floor: string): string {
  return `(SELECT published_at FROM message WHERE state = 0 AND ${readyFrom('number', lane, `coalesce(floor.${floor}, 0)`)}
    AND NOT EXISTS (SELECT FROM running WHERE running.seq = message.seq)
    ORDER BY message.lane, seq LIMIT 1)`;
}
