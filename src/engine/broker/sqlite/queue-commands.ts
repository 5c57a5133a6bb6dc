import type { DatabaseSync } from 'node:sqlite';
import { prepareRows } from './rows.ts';

export interface QueueRow {
  number: number;
  name: string;
  paused: boolean;
  maxLength: number | null;
}

/** Message counts of a queue by state. */
export interface Counts {
  high: number;
  normal: number;
  delayed: number;
  dead: number;
}

/** What the broker reads when it opens the file. Afterwards it keeps its own counts. */
export interface FileState {
  queues: (QueueRow & { counts: Counts })[];
  /** Removed queues whose messages are not all deleted yet. */
  removed: number[];
  lastSeq: number;
}

/** Commands on whole queues. Those that touch many messages go in steps, to let others in between. */
export function queueCommands(db: DatabaseSync) {
  const queues = prepareRows<[number, string | null, number, number | null]>(
    db,
    'SELECT number, name, paused, max_length FROM queue ORDER BY name',
  );
  const counts = prepareRows<[queue: number, state: number, lane: number, count: number]>(
    db,
    `SELECT queue, 0, lane, count(*) FROM message WHERE state = 0 GROUP BY queue, lane
     UNION ALL SELECT queue, 1, 0, count(*) FROM message WHERE state = 1 GROUP BY queue
     UNION ALL SELECT queue, 2, 0, count(*) FROM message WHERE state = 2 GROUP BY queue`,
  );
  const lastSeq = db.prepare('SELECT max(seq) AS seq FROM message');
  const declare = db.prepare(
    `INSERT INTO queue (name, max_length) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET max_length = iif(?, excluded.max_length, max_length)
     RETURNING number, max_length`,
  );
  const pause = db.prepare('UPDATE queue SET paused = ? WHERE number = ?');
  const retire = db.prepare('UPDATE queue SET name = NULL WHERE number = ?');
  const forget = db.prepare('DELETE FROM queue WHERE number = ?');
  const purges = [0, 1].map((state) =>
    prepareRows<[state: number, lane: number]>(
      db,
      `DELETE FROM message WHERE seq IN (
         SELECT seq FROM message WHERE queue = ? AND state = ${state} AND seq <= ?
         AND seq NOT IN (SELECT value FROM json_each(?)) LIMIT ?
       ) RETURNING state, lane`,
    ),
  );
  const deleteDead = db.prepare(
    'DELETE FROM message WHERE seq IN (SELECT seq FROM message WHERE queue = ? AND state = 2 LIMIT ?)',
  );

  return {
    load(): FileState {
      const byNumber = new Map<number, Counts>();
      for (const [queue, state, lane, count] of counts.all()) {
        const entry = byNumber.get(queue) ?? { high: 0, normal: 0, delayed: 0, dead: 0 };
        entry[state === 0 ? (lane === 0 ? 'high' : 'normal') : state === 1 ? 'delayed' : 'dead'] += count;
        byNumber.set(queue, entry);
      }
      const state: FileState = { queues: [], removed: [], lastSeq: Number(lastSeq.get()?.seq ?? 0) };
      for (const [number, name, paused, maxLength] of queues.all()) {
        if (name === null) state.removed.push(number);
        else {
          const found = byNumber.get(number) ?? { high: 0, normal: 0, delayed: 0, dead: 0 };
          state.queues.push({ number, name, paused: paused === 1, maxLength, counts: found });
        }
      }
      return state;
    },

    /** Creates the queue, or sets the limit of an existing one unless it is undefined. */
    declare(name: string, maxLength: number | null | undefined): Omit<QueueRow, 'paused'> {
      const row = declare.get(name, maxLength ?? null, maxLength === undefined ? 0 : 1);
      const bound = row?.max_length;
      return { number: Number(row?.number), name, maxLength: typeof bound === 'number' ? bound : null };
    },

    /** Writes a page that exists already, with what it has. */
    probe(): void {
      db.exec(`PRAGMA user_version = ${db.prepare('PRAGMA user_version').get()?.user_version}`);
    },

    pause(queue: number, paused: boolean): void {
      pause.run(paused ? 1 : 0, queue);
    },

    /** Frees the name, so that it can be reused while the messages are being deleted. */
    retire(queue: number): void {
      retire.run(queue);
    },

    /** Deletes some messages of a retired queue, and finally the queue. Returns whether it is done. */
    forget(queue: number, limit: number): boolean {
      let deleted = Number(deleteDead.run(queue, limit).changes);
      for (const purge of purges) deleted += purge.all(queue, Number.MAX_SAFE_INTEGER, '[]', limit).length;
      if (deleted === 0) forget.run(queue);
      return deleted === 0;
    },

    /** Deletes some waiting messages, up to a place, but no claimed ones. */
    purge(queue: number, upTo: number, claimed: string, limit: number): Omit<Counts, 'dead'> {
      const deleted = { high: 0, normal: 0, delayed: 0 };
      for (const purge of purges) {
        for (const [state, lane] of purge.all(queue, upTo, claimed, limit)) {
          deleted[state === 1 ? 'delayed' : lane === 0 ? 'high' : 'normal']++;
        }
      }
      return deleted;
    },
  };
}
