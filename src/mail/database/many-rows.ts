import { type RawBuilder, sql } from 'kysely';
import type { MailDatabase, MailRow } from './tables.ts';

const numeric: ReadonlySet<keyof MailRow> = new Set([
  ...(['version', 'attempts', 'takes', 'unknowns'] as const),
  ...(['createdAt', 'notAfter', 'changedAt', 'sentAt'] as const),
]);

/** The parameter of such a statement. Without the names in each row, a third is saved. */
export function rowValues<Column extends keyof MailRow>(
  columns: readonly Column[],
  rows: readonly Pick<MailRow, Column>[],
): string {
  return JSON.stringify(rows.map((row) => columns.map((name) => row[name])));
}

/**
 * The beginning of a statement that inserts many mails: one parameter for all, ten times faster than one for each value. What
 * they have in common is given once.
 */
export function insertMany<Column extends keyof MailRow>(
  dialect: MailDatabase['dialect'],
  columns: readonly Column[],
  rows: readonly Pick<MailRow, Column>[],
  shared: Partial<Omit<MailRow, Column>> = {},
): RawBuilder<unknown> {
  const same = Object.entries(shared) as [keyof MailRow, unknown][];
  const names = sql.join([...columns, ...same.map(([name]) => name)].map((name) => sql.ref(name)));
  const values = rowValues(columns, rows);
  const cast = (name: keyof MailRow, value: RawBuilder<unknown>) =>
    numeric.has(name) ? sql`CAST(${value} AS bigint)` : sql`CAST(${value} AS text)`;
  if (dialect === 'sqlite') {
    const own = columns.map((_, index) => sql`value->>${sql.lit(index)}`);
    const picked = sql.join([...own, ...same.map(([, value]) => sql`${value}`)]);
    return sql`INSERT INTO "mail_mail" (${names}) SELECT ${picked} FROM json_each(${values}) WHERE true`;
  }
  const own = columns.map((name, index) => cast(name, sql`"row"->>${sql.lit(index)}`));
  const picked = sql.join([...own, ...same.map(([name, value]) => cast(name, sql`${value}`))]);
  return sql`INSERT INTO "mail_mail" (${names}) SELECT ${picked}
    FROM jsonb_array_elements(CAST(${values} AS jsonb)) AS "r"("row")`;
}

/**
 * The beginning of a statement that changes many mails. A row that fails ends the whole transaction. Otherwise SQLite would
 * keep each page as it was, in order to undo the statement alone: two pages more to write for a mail that is sent. It does so
 * too for statements that call functions.
 */
export function updateMails(dialect: MailDatabase['dialect']): RawBuilder<unknown> {
  return dialect === 'sqlite' ? sql`UPDATE OR FAIL "mail_mail"` : sql`UPDATE "mail_mail"`;
}
