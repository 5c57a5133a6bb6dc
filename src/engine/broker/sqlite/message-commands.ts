import type { DatabaseSync } from 'node:sqlite';
import { type MessageRow, messageColumns } from '../message-row.ts';
import { prepareRows } from './rows.ts';

/** How many messages of one queue and lane changed, and the first of them. */
export interface Moved {
  queue: number;
  lane: number;
  count: number;
  first: number;
}

/** Commands on single messages: the hot path. */
export function messageCommands(db: DatabaseSync) {
  const insert = db.prepare(
    'INSERT INTO message (queue, lane, seq, id, published_at, headers, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const ack = db.prepare('DELETE FROM message WHERE seq = ?');
  const charge = db.prepare('UPDATE message SET attempts = ? WHERE seq = ?');
  const change = db.prepare(
    'UPDATE message SET state = ?, ready_at = ?, attempts = ?, history = ? WHERE seq = ?',
  );
  const ready = prepareRows<MessageRow>(
    db,
    `SELECT ${messageColumns} FROM message WHERE queue = ? AND lane = ? AND state = 0 AND seq > ? ORDER BY seq LIMIT ?`,
  );
  const promote = prepareRows<[queue: number, lane: number, seq: number]>(
    db,
    `UPDATE message SET state = 0, ready_at = NULL WHERE seq IN (
       SELECT seq FROM message WHERE state = 1 AND ready_at <= ? ORDER BY ready_at LIMIT ?
     ) RETURNING queue, lane, seq`,
  );
  const shift = db.prepare('UPDATE message SET ready_at = ready_at + ? WHERE state = 1');
  const nextDue = db.prepare('SELECT min(ready_at) AS at FROM message WHERE state = 1');

  return {
    insert(
      queue: number,
      lane: number,
      seq: number,
      id: string,
      publishedAt: number,
      headers: string | null,
      body: Uint8Array,
    ): void {
      insert.run(queue, lane, seq, id, publishedAt, headers, body);
    },

    ack(seq: number): void {
      ack.run(seq);
    },

    /** Writes how many attempts the message has had. */
    charge(seq: number, attempts: number): void {
      charge.run(attempts, seq);
    },

    shiftDelays(ms: number): void {
      shift.run(ms);
    },

    /** Delays the message until `readyAt`, or makes it ready at once if that is null. */
    retry(seq: number, readyAt: number | null, attempts: number, history: string): void {
      change.run(readyAt === null ? 0 : 1, readyAt, attempts, history, seq);
    },

    deadLetter(seq: number, attempts: number, history: string): void {
      change.run(2, null, attempts, history, seq);
    },

    /** The next ready messages after a place, as many as fit, but at least one. */
    read(queue: number, lane: number, after: number, limit: number, maxBytes: number): MessageRow[] {
      const rows: MessageRow[] = [];
      let bytes = 0;
      for (const row of ready.iterate(queue, lane, after, limit)) {
        rows.push(row);
        bytes += row[7].length;
        if (bytes >= maxBytes) break;
      }
      return rows;
    },

    /** Makes due messages ready and returns when the next is due. */
    promote(now: number, limit: number): { moved: Moved[]; next: number | null } {
      const moved = countMoved(promote.all(now, limit));
      const next = nextDue.get()?.at;
      return { moved, next: typeof next === 'number' ? next : null };
    },
  };
}

export function countMoved(rows: readonly [queue: number, lane: number, seq: number][]): Moved[] {
  const groups = new Map<string, Moved>();
  for (const [queue, lane, seq] of rows) {
    const key = `${queue} ${lane}`;
    const group = groups.get(key);
    if (!group) groups.set(key, { queue, lane, count: 1, first: seq });
    else {
      group.count++;
      group.first = Math.min(group.first, seq);
    }
  }
  return [...groups.values()];
}
