import { sql } from 'kysely';
import type { Engine } from '../../engine/engine.ts';
import { type MailRow, mailDatabase } from '../database/tables.ts';
import { InBatches } from './in-batches.ts';

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
  /** That of its campaign; null without one. */
  campaignState: string | null;
};

/** Marks mails as being sent and reads them: one statement, so a mail is taken by one sender only. */
export type TakeMails = (ids: readonly string[]) => Promise<TakenMail[]>;

const mostIds = 500;

/** One parameter, however many ids: with one for each, the statement would be compiled anew for every number of them. */
const idsOf = (dialect: 'sqlite' | 'postgres', ids: readonly string[]) =>
  dialect === 'sqlite'
    ? sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
    : sql`(SELECT jsonb_array_elements_text(CAST(${JSON.stringify(ids)} AS jsonb)))`;

/**
 * Mails that have ended are not taken: a message that comes twice sends nothing twice. One that a dead sender left in
 * `sending` is taken again, and its row shows it: it was taken more often than answered.
 */
export function takeMails(parts: Pick<Engine, 'database' | 'clock'>): TakeMails {
  const database = mailDatabase(parts);
  const batches = new InBatches<readonly string[], TakenMail[]>(100, async (asked) => {
    const ids = [...new Set(asked.flat())];
    const found = new Map<string, TakenMail>();
    for (let start = 0; start < ids.length; start += mostIds) {
      const some = ids.slice(start, start + mostIds);
      const { rows } = await sql<Omit<TakenMail, 'isSuppressed'> & { suppressed: number | boolean }>`
        UPDATE "mail_mail" SET "state" = 'sending', "takes" = "takes" + 1, "changedAt" = ${parts.clock.now()}
        WHERE "id" IN ${idsOf(database.dialect, some)} AND "state" IN ('waiting', 'deferred', 'sending')
        RETURNING "id", "owner", "type", "version", "class", "recipient", "fields", "language", "attempts", "takes", "unknowns",
          "campaign", "createdAt", "notAfter",
          EXISTS (SELECT 1 FROM "mail_suppressed" AS "s" WHERE "s"."address" = "mail_mail"."recipient"
            AND "s"."class" IN ('', "mail_mail"."class")) AS "suppressed",
          (SELECT "c"."state" FROM "mail_campaign" AS "c" WHERE "c"."id" = "mail_mail"."campaign") AS "campaignState"
      `.execute(database.query);
      for (const { suppressed, ...row } of rows) {
        const times = { createdAt: Number(row.createdAt), notAfter: Number(row.notAfter) };
        found.set(row.id, { ...row, ...times, isSuppressed: Boolean(suppressed) });
      }
    }
    // If two messages name the same mail at one moment, the first one has it.
    return asked.map((wanted) =>
      wanted.flatMap((id) => {
        const mail = found.get(id);
        found.delete(id);
        return mail ? [mail] : [];
      }),
    );
  });
  return (ids) => batches.ask(ids);
}
