import { type RawBuilder, sql } from 'kysely';
import { insertMany, rowValues } from '../database/many-rows.ts';
import type { MailDatabase } from '../database/tables.ts';
import type { CampaignMail, sharedColumns } from './campaign-mails.ts';

const columns = ['id', 'recipient', 'fields', 'language'] as const;

type Shared = ReturnType<typeof sharedColumns>;

/**
 * Inserts mails that are not there yet, and resolves to their number. Ids are random, so nearly each has a page of the index
 * for itself. In their order, each page is read once.
 */
export async function insertMails(
  { dialect }: MailDatabase,
  transaction: MailDatabase['query'],
  mails: readonly CampaignMail[],
  shared: Shared,
): Promise<number> {
  const inOrder = mails.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const insert =
    dialect === 'sqlite'
      ? await insertStaged(transaction, inOrder, shared)
      : insertMany(dialect, columns, inOrder, shared);
  const { numAffectedRows } = await sql`${insert} ON CONFLICT ("id") DO NOTHING`.execute(transaction);
  return Number(numAffectedRows);
}

/**
 * For SQLite: mails go through a temporary table. If the statement called functions, SQLite would keep each page as it was, in
 * order to undo the statement alone: 4 KB more to write for a mail. Here a failure ends the whole transaction anyway.
 */
async function insertStaged(
  transaction: MailDatabase['query'],
  mails: readonly CampaignMail[],
  shared: Shared,
): Promise<RawBuilder<unknown>> {
  const own = sql.join(columns.map((name) => sql.ref(name)));
  const values = sql.join(columns.map((_, index) => sql`value->>${sql.lit(index)}`));
  await sql`CREATE TEMP TABLE IF NOT EXISTS "mail_new" (${own})`.execute(transaction);
  await sql`DELETE FROM "temp"."mail_new"`.execute(transaction);
  await sql`
    INSERT INTO "temp"."mail_new" (${own}) SELECT ${values} FROM json_each(${rowValues(columns, mails)})
  `.execute(transaction);
  const names = sql.join(Object.keys(shared).map((name) => sql.ref(name)));
  return sql`INSERT OR FAIL INTO "mail_mail" (${own}, ${names})
    SELECT ${own}, ${sql.join(Object.values(shared))} FROM "temp"."mail_new" WHERE true`;
}
