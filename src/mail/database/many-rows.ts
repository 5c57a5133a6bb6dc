import { type RawBuilder, sql } from 'kysely';
import type { MailDatabase, MailRow } from './tables.ts';

const numeric: ReadonlySet<keyof MailRow> = new Set([
  ...(['version', 'attempts', 'takes', 'unknowns'] as const),
  ...(['createdAt', 'notAfter', 'changedAt', 'sentAt'] as const),
]);

/** The beginning of a statement that inserts many mails: one parameter for all, ten times faster than one for each value. */
export function insertMany<Column extends keyof MailRow>(
  dialect: MailDatabase['dialect'],
  columns: readonly Column[],
  rows: readonly Pick<MailRow, Column>[],
): RawBuilder<unknown> {
  const names = sql.join(columns.map((name) => sql.ref(name)));
  // Without the names in each row, a third is saved.
  const values = JSON.stringify(rows.map((row) => columns.map((name) => row[name])));
  const typed = (name: Column, index: number) =>
    numeric.has(name) ? sql`CAST("row"->>${sql.lit(index)} AS bigint)` : sql`"row"->>${sql.lit(index)}`;
  return dialect === 'sqlite'
    ? sql`INSERT INTO "mail_mail" (${names}) SELECT ${sql.join(columns.map((_, index) => sql`value->>${sql.lit(index)}`))}
        FROM json_each(${values}) WHERE true`
    : sql`INSERT INTO "mail_mail" (${names}) SELECT ${sql.join(columns.map(typed))}
        FROM jsonb_array_elements(CAST(${values} AS jsonb)) AS "r"("row")`;
}
