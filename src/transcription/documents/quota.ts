import { PismakError } from '../../engine/ground/errors.ts';
import { sectionOf } from '../../engine/house.ts';
import type { SubmittedRequest } from '../../engine/request/admit.ts';
import { countOpenRequests } from '../../engine/request/open-requests.ts';
import { addUsage, monthOf, usageOf } from '../../engine/usage/usage.ts';
import type { Queries } from '../database/database.ts';
import { transcriptionSection } from '../settings/settings.ts';
import { type DocumentParts, subjectOf } from './document.ts';
import { transcriptionProcessors } from './stages.ts';

export interface Quota {
  pagesPerMonth: number | null;
  pagesWaiting: number | null;
  /** See storage-quota.ts. */
  storageMb: number | null;
}

const kind = `${transcriptionSection.name}.pages`;

/** The quota of a user: their own, or else that of the settings; null = no limit. */
export async function quotaOf(
  { settings }: Pick<DocumentParts, 'settings'>,
  queries: Queries,
  owner: string,
): Promise<Quota> {
  const { pagesPerMonth, pagesWaiting, storageMb } = sectionOf(settings, transcriptionSection);
  const usual = {
    pagesPerMonth: pagesPerMonth || null,
    pagesWaiting: pagesWaiting || null,
    storageMb: storageMb || null,
  };
  return (await quotaSet(queries, `user:${owner}`)) ?? usual;
}

/** The quota set for a key or user. */
export function quotaSet(queries: Queries, subject: string): Promise<Quota | undefined> {
  return queries
    .selectFrom('transcription_quota')
    .select(['pagesPerMonth', 'pagesWaiting', 'storageMb'])
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** Counts one key, or a user with all keys. */
export type Whose = { subject: string } | { owner: string };

type Counted = { subject: string; owner: string };

/**
 * Throws `quota-exceeded` if `more` pages would exceed the limit of the user (all keys together) or of the key. A new key is
 * no way around the limit of the user.
 */
export async function checkQuota(
  parts: Pick<DocumentParts, 'settings' | 'clock'>,
  queries: Queries,
  { subject, owner }: Counted,
  more: number,
): Promise<void> {
  await checkOne(parts, queries, await quotaOf(parts, queries, owner), { owner }, more);
  const ofKey = subject.startsWith('key:') ? await quotaSet(queries, subject) : undefined;
  if (ofKey) await checkOne(parts, queries, ofKey, { subject }, more);
}

/** Checks the limits and counts the pages, in the transaction that creates them. */
export async function usePages(
  parts: Pick<DocumentParts, 'settings' | 'clock'>,
  transaction: Queries,
  { subject, owner }: Counted,
  { pages, bytes }: { pages: number; bytes: number },
): Promise<void> {
  if (pages > 0) await checkQuota(parts, transaction, { subject, owner }, pages);
  await recordPages(parts, transaction, { subject, owner }, { pages, bytes });
}

/** Counts pages without checking limits. A page counts each time it is sent to the stages. */
export async function recordPages(
  parts: Pick<DocumentParts, 'clock'>,
  transaction: Queries,
  { subject, owner }: Counted,
  { pages, bytes }: { pages: number; bytes: number },
): Promise<void> {
  const month = monthOf(parts.clock.now());
  await addUsage(transaction, { owner, kind, month, count: pages });
  await transaction
    .insertInto('transcription_usage')
    .values({ subject, owner, month, pages, bytes })
    .onConflict((conflict) =>
      conflict.columns(['subject', 'month']).doUpdateSet((eb) => ({
        pages: eb('transcription_usage.pages', '+', pages),
        bytes: eb('transcription_usage.bytes', '+', bytes),
      })),
    )
    .execute();
}

/** Counts a request submitted directly to stages of this house as one page. */
export async function countRequest(
  engine: Pick<DocumentParts, 'settings' | 'clock'>,
  transaction: Queries,
  { owner, credential, stages, count }: SubmittedRequest,
): Promise<boolean> {
  if (!stages.some(({ processor }) => ours.has(processor))) return false;
  const subject = subjectOf({ name: owner, ...(credential !== undefined && { credential }) });
  await usePages(engine, transaction, { subject, owner }, { pages: count, bytes: 0 });
  return true;
}

const ours = new Set(transcriptionProcessors.map(({ name }) => name));

async function checkOne(
  parts: Pick<DocumentParts, 'clock'>,
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
        more > pagesWaiting
          ? `${more} pages at once exceed the limit of ${pagesWaiting} waiting ${pagesWaiting === 1 ? 'page' : 'pages'}; submit fewer at once or ask an administrator`
          : `${waiting} pages are waiting and the limit is ${pagesWaiting}; try again when some are done`,
        {
          pagesWaiting,
          waiting,
          wanted: more,
        },
      );
    }
  }
}

export async function usedPages(queries: Queries, whose: Whose, month: string): Promise<number> {
  if ('owner' in whose) return usageOf(queries, { owner: whose.owner, kind, month });
  const row = await queries
    .selectFrom('transcription_usage')
    .select('pages')
    .where('subject', '=', whose.subject)
    .where('month', '=', month)
    .executeTakeFirst();
  return Number(row?.pages ?? 0);
}

/** Unfinished pages. A source that is not split yet counts as one, and so does a request without a document. */
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
  const requests =
    'owner' in whose ? await countOpenRequests(queries, whose.owner, transcriptionSection.name) : 0;
  return requests + (await count('transcription_page')) + (await count('transcription_source'));
}

/** The column of a document that names its owner or key, and the value to match. */
export function documentsOf(whose: Whose): ['document.owner' | 'document.subject', string] {
  return 'owner' in whose ? ['document.owner', whose.owner] : ['document.subject', whose.subject];
}

function exceeded(message: string, details: Record<string, unknown>): PismakError {
  return new PismakError('quota-exceeded', message, { details });
}
