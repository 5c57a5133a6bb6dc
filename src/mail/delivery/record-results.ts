import { sql } from 'kysely';
import type { Backlog } from '../../engine/backlog/backlog.ts';
import type { MailDatabase } from '../database/tables.ts';
import type { MailState } from '../model/mail.ts';
import { queueOf } from '../settings.ts';
import { byIds } from './mail-message.ts';

/** What became of a mail that a sender had taken. */
export interface MailResult {
  id: string;
  owner: string;
  class: string;
  campaign: string;
  lane: 'high' | 'normal';
  state: MailState;
  /** 1 if a relay answered, or should have. */
  attempts: 0 | 1;
  unknowns: 0 | 1;
  /** It was given back untouched. */
  isReturned?: boolean;
  relay: string;
  answer: string;
  /** For a mail that is to be tried again. */
  retryAt?: number;
  /** Waits until its campaign goes on. */
  isPaused?: boolean;
  /** The relay said that this address does not exist. */
  suppress?: string;
}

/** Puts mails that are to be tried again into the backlog. */
export function recordRetries(
  backlog: Backlog,
  query: MailDatabase['query'],
  results: readonly MailResult[],
): Promise<void> {
  return backlog.add(query, results.filter(({ retryAt }) => retryAt !== undefined).map(toItem));
}

function toItem({ id, owner, class: className, campaign, lane, retryAt = 0, isPaused = false }: MailResult) {
  return {
    queue: queueOf(className),
    owner,
    batch: campaign || 'mail',
    message: byIds([id], owner, lane),
    notBefore: retryAt,
    paused: isPaused,
  };
}

/** One statement with one parameter, however many rows: 500 rows take 3 ms on SQLite. */
export async function recordMails(
  dialect: MailDatabase['dialect'],
  query: MailDatabase['query'],
  results: readonly MailResult[],
  now: number,
): Promise<void> {
  const rows = JSON.stringify(
    results.map(({ id, state, attempts, unknowns, relay, answer }) => ({
      ...{ id, state, attempts, unknowns, relay, answer: answer.slice(0, 500) },
      // A taking that no relay had to do with is none.
      returned: 1 - attempts,
    })),
  );
  const source =
    dialect === 'sqlite'
      ? sql`(SELECT value->>'id' AS "id", value->>'state' AS "state", value->>'attempts' AS "attempts",
          value->>'unknowns' AS "unknowns", value->>'relay' AS "relay", value->>'answer' AS "answer",
          value->>'returned' AS "returned" FROM json_each(${rows}))`
      : sql`jsonb_to_recordset(CAST(${rows} AS jsonb)) AS "r"("id" text, "state" text, "attempts" int, "unknowns" int,
          "relay" text, "answer" text, "returned" int)`;
  await sql`
    UPDATE "mail_mail" SET "state" = "r"."state", "attempts" = "mail_mail"."attempts" + "r"."attempts",
      "unknowns" = "mail_mail"."unknowns" + "r"."unknowns", "takes" = "mail_mail"."takes" - "r"."returned",
      "relay" = "r"."relay", "answer" = "r"."answer", "changedAt" = ${now},
      "sentAt" = CASE WHEN "r"."state" = 'sent' THEN CAST(${now} AS BIGINT) ELSE "mail_mail"."sentAt" END
    FROM ${dialect === 'sqlite' ? sql`${source} AS "r"` : source}
    WHERE "mail_mail"."id" = "r"."id" AND "mail_mail"."state" = 'sending'
  `.execute(query);
  for (const { suppress, answer } of results)
    if (suppress !== undefined)
      await query
        .insertInto('mail_suppressed')
        .values({
          address: suppress,
          class: '',
          reason: `refused: ${answer}`.slice(0, 300),
          createdAt: now,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
}
