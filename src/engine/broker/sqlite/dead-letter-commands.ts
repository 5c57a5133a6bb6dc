import type { DatabaseSync } from 'node:sqlite';
import type { DeadLetterFilter } from '../broker.ts';
import { bytesAtOnce, letterMatcher } from '../dead-letter-filter.ts';
import { type SeenRow, seenColumns } from '../message-row.ts';
import { countMoved, type Moved } from './message-commands.ts';
import { prepareRows } from './rows.ts';

/** The result of one step. The next step continues after `last`; null means done. */
export interface DeadLetterStep {
  moved: Moved[];
  last: number | null;
}

/** The places of letters that match. The next step continues after `last`; null means done. */
export interface FoundStep {
  places: number[];
  last: number | null;
}

type ExaminedRow = [
  seq: number,
  id: string,
  publishedAt: number,
  headers: string | null,
  history: string | null,
  body: Uint8Array,
];

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

  const examine = (body: string) =>
    prepareRows<ExaminedRow>(
      db,
      `SELECT seq, id, published_at, headers, history, ${body} FROM message
       WHERE queue = ? AND state = 2 AND seq > ? ORDER BY seq LIMIT ?`,
    );
  const [withBody, withoutBody] = [examine('body'), examine(`x''`)];
  const moving = (statement: string) =>
    prepareRows<[queue: number, lane: number, seq: number]>(
      db,
      `${statement} WHERE state = 2 AND seq IN (SELECT value FROM json_each(?)) RETURNING queue, lane, seq`,
    );
  const redriveThese = moving('UPDATE message SET state = 0, attempts = 0');
  const discardThese = moving('DELETE FROM message');
  const listThese = prepareRows<SeenRow>(
    db,
    `SELECT ${seenColumns} FROM message WHERE state = 2 AND seq IN (SELECT value FROM json_each(?)) ORDER BY seq`,
  );

  /** Examines at most `limit` letters, and fewer if their bodies are large. `filter` is JSON. */
  function find(queue: number, filter: string, after: number, limit: number): FoundStep {
    const wanted: DeadLetterFilter = JSON.parse(filter);
    const matches = letterMatcher(wanted);
    const places: number[] = [];
    let [last, seen, bytes] = [after, 0, 0];
    const rows = (wanted.text === undefined ? withoutBody : withBody).iterate(queue, after, limit);
    for (const [seq, id, publishedAt, headers, history, body] of rows) {
      const letter = {
        id,
        publishedAt,
        headers: JSON.parse(headers ?? '{}'),
        history: JSON.parse(history ?? '[]'),
      };
      if (matches({ ...letter, body })) places.push(seq);
      [last, seen, bytes] = [seq, seen + 1, bytes + body.length];
      if (bytes >= bytesAtOnce) return { places, last };
    }
    return { places, last: seen < limit ? null : last };
  }

  function onMatching(statement: typeof redriveThese) {
    return (queue: number, filter: string, after: number, limit: number): DeadLetterStep => {
      const { places, last } = find(queue, filter, after, limit);
      return { moved: places.length === 0 ? [] : countMoved(statement.all(JSON.stringify(places))), last };
    };
  }

  return {
    dead: (queue: number, offset: number, limit: number): SeenRow[] => list.all(queue, limit, offset),
    redrive,
    discard,
    findDead: find,
    redriveMatching: onMatching(redriveThese),
    discardMatching: onMatching(discardThese),
    /** `places` is a JSON list of what `findDead` found; what is no longer dead is left out. */
    deadAt: (places: string): SeenRow[] => listThese.all(places),
  };
}
