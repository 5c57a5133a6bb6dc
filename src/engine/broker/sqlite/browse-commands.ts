import type { DatabaseSync } from 'node:sqlite';
import { type SeenRow, seenColumns } from '../message-row.ts';
import { prepareRows } from './rows.ts';

const notClaimed = 'seq NOT IN (SELECT value FROM json_each(?))';

/** Read-only commands. `claimed` lists the messages being processed, which the file does not know. */
export function browseCommands(db: DatabaseSync) {
  const oldest = db.prepare(
    `SELECT published_at AS at FROM message WHERE queue = ? AND lane = ? AND state = 0 AND ${notClaimed}
     ORDER BY seq LIMIT 1`,
  );
  // Claimed messages are rows too.
  const existing = prepareRows<[string]>(
    db,
    `SELECT DISTINCT substr(id, 1, instr(id || '/', '/') - 1) AS name FROM message
     WHERE name IN (SELECT value FROM json_each(?))`,
  );
  // These three are in delivery order.
  const sections = [
    section('state = 0 AND lane = 0', 'seq'),
    section('state = 0 AND lane = 1', 'seq'),
    section('state = 1', 'ready_at, seq'),
  ];

  function section(where: string, order: string) {
    const from = `FROM message WHERE queue = ? AND ${where} AND ${notClaimed}`;
    return {
      rows: prepareRows<SeenRow>(db, `SELECT ${seenColumns} ${from} ORDER BY ${order} LIMIT ? OFFSET ?`),
      count: prepareRows<[number]>(db, `SELECT count(*) ${from}`),
    };
  }

  return {
    oldest(queue: number, lane: number, claimed: string): number | null {
      const at = oldest.get(queue, lane, claimed)?.at;
      return typeof at === 'number' ? at : null;
    },

    /** `names` is a JSON list. */
    whichExist: (names: string): string[] => existing.all(names).map(([name]) => name),

    peek(queue: number, claimed: string, offset: number, limit: number): SeenRow[] {
      const found: SeenRow[] = [];
      let skip = offset;
      for (const { rows, count } of sections) {
        if (found.length === limit) break;
        const some = rows.all(queue, claimed, limit - found.length, skip);
        found.push(...some);
        skip = some.length > 0 ? 0 : Math.max(0, skip - (count.all(queue, claimed)[0]?.[0] ?? 0));
      }
      return found;
    },
  };
}
