import { PismakError } from '../../engine/errors.ts';
import { sectionOf } from '../../engine/house.ts';
import type { Queries } from '../database/database.ts';
import { transcription } from '../house.ts';
import type { Parts } from './document.ts';

export interface Quota {
  pagesPerMonth: number | null;
  pagesWaiting: number | null;
  /** See storage-quota.ts. */
  storageMb: number | null;
}

/** `2026-01`, in UTC. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** The quota set for the key or user, or else the one in the settings; null = no limit. */
export async function quotaOf(
  { settings }: Pick<Parts, 'settings'>,
  queries: Queries,
  subject: string,
): Promise<Quota> {
  const { pagesPerMonth, pagesWaiting, storageMb } = sectionOf(settings, transcription);
  const usual = {
    pagesPerMonth: pagesPerMonth || null,
    pagesWaiting: pagesWaiting || null,
    storageMb: storageMb || null,
  };
  return (await quotaSet(queries, subject)) ?? usual;
}

export function quotaSet(queries: Queries, subject: string): Promise<Quota | undefined> {
  return queries
    .selectFrom('transcription_quota')
    .select(['pagesPerMonth', 'pagesWaiting', 'storageMb'])
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** Whose pages or bytes to count: those of one key, or those of a user with all keys. */
export type Whose = { subject: string } | { owner: string };

/**
 * Throws `quota-exceeded` if `more` pages would exceed the limit. The limit of a user applies to all keys of the user
 * together: users create keys themselves, and a new key must not be a way around the limit.
 */
export async function checkQuota(
  parts: Pick<Parts, 'settings' | 'clock'>,
  queries: Queries,
  { subject, owner }: { subject: string; owner: string },
  more: number,
): Promise<void> {
  await checkOne(parts, queries, await quotaOf(parts, queries, subject), { subject }, more);
  const ofUser = await quotaSet(queries, `user:${owner}`);
  if (ofUser) await checkOne(parts, queries, ofUser, { owner }, more);
}

async function checkOne(
  parts: Pick<Parts, 'clock'>,
  queries: Queries,
  { pagesPerMonth, pagesWaiting }: Quota,
  whose: Whose,
  more: number,
): Promise<void> {
  if (pagesPerMonth !== null) {
    const used = await usedPages(queries, whose, monthOf(parts.clock.now()));
    if (used + more > pagesPerMonth) {
      throw exceeded(
        `you have used ${used} of ${pagesPerMonth} pages this month, and ${more} more exceed the limit; wait for the next month or ask an administrator`,
        { pagesPerMonth, used, wanted: more },
      );
    }
  }
  if (pagesWaiting !== null) {
    const waiting = await waitingPages(queries, whose);
    if (waiting + more > pagesWaiting) {
      throw exceeded(
        `${waiting} pages are waiting and the limit is ${pagesWaiting}; try again when some are done`,
        {
          pagesWaiting,
          waiting,
          wanted: more,
        },
      );
    }
  }
}

/** Call it in the transaction that creates the pages. */
export async function countUsage(
  transaction: Queries,
  of: { subject: string; owner: string; month: string },
  add: { pages: number; bytes: number },
): Promise<void> {
  await transaction
    .insertInto('transcription_usage')
    .values({ ...of, ...add })
    .onConflict((conflict) =>
      conflict.columns(['subject', 'month']).doUpdateSet((eb) => ({
        pages: eb('transcription_usage.pages', '+', add.pages),
        bytes: eb('transcription_usage.bytes', '+', add.bytes),
      })),
    )
    .execute();
}

async function usedPages(queries: Queries, whose: Whose, month: string): Promise<number> {
  const row = await queries
    .selectFrom('transcription_usage')
    .select(({ fn }) => fn.sum<number>('pages').as('pages'))
    .where((eb) => eb.and(whose))
    .where('month', '=', month)
    .executeTakeFirst();
  return Number(row?.pages ?? 0);
}

/** Unfinished pages; a source that is not split yet counts as one. */
export async function waitingPages(queries: Queries, whose: Whose): Promise<number> {
  const [column, value] = documentsOf(whose);
  const count = async (table: 'transcription_page' | 'transcription_source') => {
    const row = await queries
      .selectFrom(`${table} as waiting` as 'transcription_page as waiting')
      .innerJoin('transcription_document as document', 'document.id', 'waiting.document')
      .select(({ fn }) => fn.countAll().as('count'))
      .where(column, '=', value)
      .where('document.state', 'in', ['waiting', 'running'])
      .where('waiting.state', '=', 'waiting')
      .executeTakeFirst();
    return Number(row?.count ?? 0);
  };
  return (await count('transcription_page')) + (await count('transcription_source'));
}

/** The column of a document that names its owner or key, and the value to match. */
export function documentsOf(whose: Whose): ['document.owner' | 'document.subject', string] {
  return 'owner' in whose ? ['document.owner', whose.owner] : ['document.subject', whose.subject];
}

function exceeded(message: string, details: Record<string, unknown>): PismakError {
  return new PismakError('quota-exceeded', message, { details });
}
