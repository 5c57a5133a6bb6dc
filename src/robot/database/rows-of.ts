import { type RawBuilder, sql } from 'kysely';
import type { Database } from './tables.ts';

/** Columns by name, with their types. */
export type Columns = Readonly<Record<string, 'bigint' | 'text' | 'double precision'>>;

/**
 * Rows as a table expression with a single parameter, so that the text of the statement is constant and is prepared once. Ten
 * thousand rows as `VALUES` would have ten thousand times the parameters and be compiled each time.
 */
export function rowsOf(
  dialect: Database['dialect'],
  columns: Columns,
  rows: readonly (readonly (string | number | null)[])[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows);
  const fields = Object.entries(columns).map(([name, type], index) =>
    dialect === 'sqlite'
      ? sql`json_extract("value", ${sql.lit(`$[${index}]`)}) AS ${sql.ref(name)}`
      : sql`("value"->>${sql.lit(index)})::${sql.raw(type)} AS ${sql.ref(name)}`,
  );
  const source =
    dialect === 'sqlite'
      ? sql`json_each(${json})`
      : sql`jsonb_array_elements(${json}::jsonb) AS "j"("value")`;
  return sql`(SELECT ${sql.join(fields)} FROM ${source})`;
}
