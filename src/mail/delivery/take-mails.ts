import { sql } from 'kysely';
import { updateMails } from '../database/many-rows.ts';
import type { MailDatabase, MailRow } from '../database/tables.ts';

export type TakenMail = Pick<
  MailRow,
  | 'id'
  | 'owner'
  | 'type'
  | 'version'
  | 'class'
  | 'recipient'
  | 'fields'
  | 'language'
  | 'attempts'
  | 'takes'
  | 'unknowns'
  | 'campaign'
  | 'createdAt'
  | 'notAfter'
> & {
  isSuppressed: boolean;
  /** State of its campaign; null without one. */
  campaignState: string | null;
};

/** All ids in one parameter: with one each, the statement would be compiled again for every number of ids. */
export const idsOf = (dialect: MailDatabase['dialect'], ids: readonly string[]) =>
  dialect === 'sqlite'
    ? sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
    : sql`(SELECT jsonb_array_elements_text(CAST(${JSON.stringify(ids)} AS jsonb)))`;

/**
 * Marks mails as being sent and reads them, in one statement, so only one sender takes a mail. Mails that have ended are not
 * taken, so a message delivered twice sends nothing twice. A mail that a dead sender left in `sending` is taken again; its row
 * then has more takes than attempts.
 */
export async function takeMails(
  dialect: MailDatabase['dialect'],
  query: MailDatabase['query'],
  ids: readonly string[],
  now: number,
): Promise<Map<string, TakenMail>> {
  const { rows } = await sql<
    Omit<TakenMail, 'isSuppressed'> & { suppressed: number | boolean; releasedAt: number | null }
  >`
    ${updateMails(dialect)} SET "state" = 'sending', "takes" = "takes" + 1, "changedAt" = ${now}
    WHERE "id" IN ${idsOf(dialect, ids)} AND "state" IN ('waiting', 'deferred', 'sending')
    RETURNING "id", "owner", "type", "version", "class", "recipient", "fields", "language", "attempts", "takes", "unknowns",
      "campaign", "createdAt", "notAfter",
      EXISTS (SELECT 1 FROM "mail_suppressed" AS "s" WHERE "s"."address" = "mail_mail"."recipient"
        AND "s"."class" IN ('', "mail_mail"."class")) AS "suppressed",
      (SELECT "c"."state" FROM "mail_campaign" AS "c" WHERE "c"."id" = "mail_mail"."campaign") AS "campaignState",
      (SELECT "c"."startedAt" FROM "mail_campaign" AS "c" WHERE "c"."id" = "mail_mail"."campaign") AS "releasedAt"
  `.execute(query);
  const found = new Map<string, TakenMail>();
  for (const { suppressed, releasedAt, ...row } of rows) {
    const createdAt = Number(row.createdAt);
    // The time to live starts when the campaign is released.
    const waitedMs = Math.max(0, Number(releasedAt ?? 0) - createdAt);
    const times = { createdAt, notAfter: Number(row.notAfter) + waitedMs };
    found.set(row.id, { ...row, ...times, isSuppressed: Boolean(suppressed) });
  }
  return found;
}
