import type { DatabaseSync } from 'node:sqlite';
import { type SeenRow, seenColumns } from '../message-row.ts';
import { countMoved, type Moved } from './message-commands.ts';
import { prepareRows } from './rows.ts';

/** The result of one step. The next step continues after `last`; null means done. */
export interface DeadLetterStep {
  moved: Moved[];
  last: number | null;
}

/**
 * Commands on dead letters. Large numbers go in steps, in seq order, so that a message that dies again meanwhile is not
 * met twice. `ids` is a JSON list; null means all.
 */
export function deadLetterCommands(db: DatabaseSync) {
  const list = prepareRows<SeenRow>(
    db,
    `SELECT ${seenColumns} FROM message WHERE queue = ? AND state = 2 ORDER BY seq LIMIT ? OFFSET ?`,
  );
  const redrive = steps((chosen) => `UPDATE message SET state = 0, attempts = 0 WHERE seq IN (${chosen})`);
  const discard = steps((chosen) => `DELETE FROM message WHERE seq IN (${chosen})`);

  function steps(statement: (chosen: string) => string) {
    const from = 'SELECT seq FROM message WHERE queue = ? AND state = 2';
    const next = 'AND seq > ? ORDER BY seq LIMIT ?';
    const returning = 'RETURNING queue, lane, seq';
    type Row = [queue: number, lane: number, seq: number];
    const all = prepareRows<Row>(db, `${statement(`${from} ${next}`)} ${returning}`);
    const some = prepareRows<Row>(
      db,
      `${statement(`${from} AND id IN (SELECT value FROM json_each(?)) ${next}`)} ${returning}`,
    );
    return (queue: number, ids: string | null, after: number, limit: number): DeadLetterStep => {
      const rows = ids === null ? all.all(queue, after, limit) : some.all(queue, ids, after, limit);
      const last = rows.length < limit ? null : Math.max(...rows.map((row) => row[2]));
      return { moved: countMoved(rows), last };
    };
  }

  return {
    dead: (queue: number, offset: number, limit: number): SeenRow[] => list.all(queue, limit, offset),
    redrive,
    discard,
  };
}
