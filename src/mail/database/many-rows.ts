import { type RawBuilder, sql } from 'kysely';
import type { MailDatabase, MailRow } from './tables.ts';

const numeric: ReadonlySet<keyof MailRow> = new Set([
  ...(['version', 'attempts', 'takes', 'unknowns'] as const),
  ...(['createdAt', 'notAfter', 'changedAt', 'sentAt'] as const),
]);

/** The parameter of `insertMany`. Omitting column names from each row saves a third. */
export function rowValues<Column extends keyof MailRow>(
  columns: readonly Column[],
  rows: readonly Pick<MailRow, Column>[],
): string {
  return JSON.stringify(rows.map((row) => columns.map((name) => row[name])));
}

/**
 * The beginning of a statement that inserts many mails. One parameter for all rows is ten times faster than one for each value.
 * `shared` columns are given once.
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
 * The beginning of a statement that changes many mails. A failing row rolls back the whole transaction: otherwise SQLite keeps
 * a statement journal, which costs two more page writes for each mail. Statements that call functions need one, too.
 */
export function updateMails(dialect: MailDatabase['dialect']): RawBuilder<unknown> {
  return dialect === 'sqlite' ? sql`UPDATE OR FAIL "mail_mail"` : sql`UPDATE "mail_mail"`;
}
