import { sql } from 'kysely';
import type { Backlog } from '../../engine/backlog/backlog.ts';
import { updateMails } from '../database/many-rows.ts';
import type { MailDatabase } from '../database/tables.ts';
import type { MailState } from '../model/mail.ts';
import { queueOf } from '../settings/settings.ts';
import { byIds } from './mail-message.ts';

/** The result of a mail that a sender took. */
export interface MailResult {
  id: string;
  owner: string;
  class: string;
  campaign: string;
  lane: 'high' | 'normal';
  state: MailState;
  /** 1 if a relay answered or should have. */
  attempts: 0 | 1;
  unknowns: 0 | 1;
  /** The mail goes back unchanged. */
  isReturned?: boolean;
  relay: string;
  /** Cleaned by `answerText`. */
  answer: string;
  /** When to try again; undefined if the result is final. */
  retryAt?: number;
  /** Waits until its campaign goes on. */
  isPaused?: boolean;
  /** The relay said that this address does not exist. */
  suppress?: string | undefined;
}

/** Puts mails to retry into the backlog. */
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

/**
 * One statement for all mails with the same result. Its parameter has only ids and answers, so that SQLite needs no functions
 * to read it: see `updateMails`.
 */
export async function recordMails(
  dialect: MailDatabase['dialect'],
  query: MailDatabase['query'],
  results: readonly MailResult[],
  now: number,
): Promise<void> {
  const alike = Map.groupBy(results, ({ state, attempts, unknowns, relay }) =>
    [state, attempts, unknowns, relay].join(' '),
  );
  for (const group of alike.values()) {
    const [first] = group;
    if (!first) continue;
    const { state, attempts, unknowns, relay } = first;
    // Without an attempt, the mail counts as not taken.
    const untaken = 1 - attempts;
    const answers = JSON.stringify(Object.fromEntries(group.map(({ id, answer }) => [id, answer])));
    const source =
      dialect === 'sqlite' ? sql`json_each(${answers})` : sql`jsonb_each_text(CAST(${answers} AS jsonb))`;
    await sql`
      ${updateMails(dialect)} SET "state" = ${state}, "attempts" = "attempts" + ${sql.lit(attempts)},
        "unknowns" = "unknowns" + ${sql.lit(unknowns)},
        "takes" = "takes" - ${sql.lit(untaken)},
        "relay" = ${relay}, "answer" = "r"."value", "changedAt" = ${now},
        "sentAt" = ${state === 'sent' ? sql`CAST(${now} AS BIGINT)` : sql.ref('sentAt')}
      FROM ${source} AS "r" WHERE "mail_mail"."id" = "r"."key" AND "mail_mail"."state" = 'sending'
    `.execute(query);
  }
  await suppressRefused(query, results, now);
}

/** Suppresses addresses that do not exist. */
export async function suppressRefused(
  query: MailDatabase['query'],
  results: readonly Pick<MailResult, 'suppress' | 'answer'>[],
  now: number,
): Promise<void> {
  for (const { suppress, answer } of results)
    if (suppress !== undefined)
      await query
        .insertInto('mail_suppressed')
        .values({
          address: suppress,
          class: '',
          reason: `refused: ${answer}`.slice(0, 300).toWellFormed(),
          createdAt: now,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
}
