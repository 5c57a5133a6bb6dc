import type { LastingConnection, Statement } from '../../database/postgres/lasting-connection.ts';
import { hasCode, PismakError } from '../../ground/errors.ts';
import { firstClaimed } from './claim-statements.ts';
import { cameReady } from './notices.ts';
import { channel } from './schema.ts';

export interface Publication {
  queue: string;
  high: boolean;
  id: string;
  headers: string | null;
  body: Uint8Array;
}

interface Waiting extends Publication {
  resolve(): void;
  reject(error: unknown): void;
}

const mostMessages = 1000;
const mostBytes = 4 * 1024 * 1024;

/** Only one publisher at a time writes to a bounded queue, until its commit, so that the bound is exact. */
const lockBounded: Statement = {
  name: 'lock-bounded',
  text: `SELECT 1 FROM queue WHERE name = ANY($1::text[]) AND max_length IS NOT NULL ORDER BY number FOR NO KEY UPDATE`,
};
/** The bodies come as one value: an array of them would travel as hexadecimal text, twice the size. */
const insert: Statement = {
  name: 'insert',
  text: `
    WITH target AS MATERIALIZED (SELECT number, name, max_length FROM queue WHERE name = ANY($1::text[]) FOR KEY SHARE),
    bound AS MATERIALIZED (
      SELECT number, name, CASE WHEN max_length IS NOT NULL THEN max_length
        - (SELECT high + normal + delayed FROM counted(target.number))
        + (SELECT count(*) FROM running WHERE queue = target.number AND seq >= (${firstClaimed})) END AS free
      FROM target),
    input AS (
      SELECT *, row_number() OVER (PARTITION BY queue ORDER BY nth) AS place
      FROM unnest($2::text[], $3::smallint[], $4::text[], $5::text[], $6::int[], $7::int[])
        WITH ORDINALITY AS i (queue, lane, id, headers, start, length, nth)),
    accepted AS (
      INSERT INTO message (queue, lane, published_at, id, headers, body)
      SELECT bound.number, lane, now_ms(), id, headers, substring($8::bytea FROM start FOR length)
      FROM input JOIN bound ON bound.name = input.queue WHERE free IS NULL OR place <= free ORDER BY nth
      RETURNING queue, seq),
    begun AS MATERIALIZED (SELECT queue, min(seq) AS first FROM accepted GROUP BY queue)
    SELECT name, free, first,
      CASE WHEN first IS NOT NULL AND EXISTS (SELECT FROM process WHERE number <> $9)
        THEN pg_notify('${channel}', kind || first || ':' || name)::text END
    FROM bound JOIN unnest($1::text[], $10::text[]) AS k (name, kind) USING (name)
    LEFT JOIN begun ON begun.queue = number`,
};

/** Group commit: messages published while a batch is being written go into the next one. */
export class Publisher {
  readonly #connection: LastingConnection;
  readonly #process: () => number;
  readonly #onPublished: (queue: string, high: boolean, first: number) => void;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;

  constructor(
    connection: LastingConnection,
    process: () => number,
    onPublished: (queue: string, high: boolean, first: number) => void,
  ) {
    this.#connection = connection;
    this.#process = process;
    this.#onPublished = onPublished;
  }

  publish(publication: Publication): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...publication, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#connection.close();
  }

  async #writeAll(): Promise<void> {
    // Messages published in the same turn of the event loop go together.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) await this.#write(this.#nextBatch());
    this.#writing = undefined;
  }

  #nextBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { body } of this.#waiting) {
      bytes += body.length;
      if (count > 0 && (count >= mostMessages || bytes > mostBytes)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #write(batch: Waiting[]): Promise<void> {
    try {
      const found = await this.#insert(batch);
      const places = new Map<string, number>();
      for (const { queue, high, resolve, reject } of batch) {
        const { most, first } = found.get(queue) ?? {};
        const place = (places.get(queue) ?? 0) + 1;
        places.set(queue, place);
        if (most === undefined) reject(unknown(queue));
        else if (place > most) reject(full(queue));
        else {
          this.#onPublished(queue, high, first ?? 0);
          resolve();
        }
      }
    } catch (error) {
      // Some may have been written, and only the answer lost.
      for (const { queue, high } of batch) this.#onPublished(queue, high, 0);
      // A message that can't be written must not fail its neighbours.
      if (batch.length > 1 && !hasCode(error, 'unavailable')) {
        for (const one of batch) await this.#write([one]);
      } else for (const { reject } of batch) reject(error);
    }
  }

  /** Resolves to the existing queues, how many messages each can take, and the place of the first that it took. */
  async #insert(batch: readonly Publication[]): Promise<Map<string, { most: number; first: number }>> {
    const notices = cameReady(batch.map(({ queue, high }) => ({ queue, high, seq: 0 })));
    const names = notices.map(({ queue }) => queue);
    const starts: number[] = [];
    let length = 0;
    for (const { body } of batch) {
      starts.push(length + 1);
      length += body.length;
    }
    const values = [
      names,
      batch.map(({ queue }) => queue),
      batch.map(({ high }) => (high ? 0 : 1)),
      batch.map(({ id }) => id),
      batch.map(({ headers }) => headers),
      starts,
      batch.map(({ body }) => body.length),
      Buffer.concat(batch.map(({ body }) => body)),
      this.#process(),
      notices.map(({ kind }) => kind[0]),
    ];
    const [, rows = []] = await this.#connection.together([
      [lockBounded, [names]],
      [insert, values],
    ]);
    return new Map(
      (rows as [string, number | null, number | null][]).map(([name, most, first]) => [
        name,
        { most: most ?? Number.POSITIVE_INFINITY, first: first ?? 0 },
      ]),
    );
  }
}

export function unknown(queue: string): PismakError {
  return new PismakError('queue-unknown', `There is no queue ${queue}. Declare it first.`);
}

function full(queue: string): PismakError {
  return new PismakError('queue-full', `Queue ${queue} is full. Try again later.`);
}
