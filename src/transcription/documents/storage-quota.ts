import { PismakError } from '../../engine/ground/errors.ts';
import type { Queries } from '../database/database.ts';
import type { DocumentParts } from './document.ts';
import { documentsOf, quotaOf, quotaSet, type Whose } from './quota.ts';

/**
 * A limit on the total size of sources, submitted or not. A source in several documents counts in each. The setting limits a
 * user with all keys together, unless the user has their own limit. A key has a limit only if one was set for it.
 */
interface Limit {
  whose: Whose;
  storageMb: number;
}

type Settings = Pick<DocumentParts, 'settings'>;
type OfDocument = { subject: string; owner: string };

/**
 * Throws `quota-exceeded` if `more` bytes would exceed the limit. Call it in the transaction that adds the source, so that
 * concurrent additions stay within the limit together.
 */
export async function checkStorage(
  parts: Settings,
  transaction: Queries,
  of: OfDocument,
  more: number,
): Promise<void> {
  for (const { whose, storageMb } of await limitsOf(parts, transaction, of)) {
    const stored = await storedBytes(transaction, whose);
    if (stored + more <= storageMb * 2 ** 20) continue;
    throw new PismakError(
      'quota-exceeded',
      `the sources of ${'owner' in whose ? 'your documents' : 'the documents of this key'} take ${stored} bytes, and ${more} more exceed the limit of ${storageMb} MB; delete documents to make room, or ask an administrator (\`pismak usage limit\`)`,
      { details: { storageMb, stored, wanted: more } },
    );
  }
}

/** Bytes stored and their limit: if several apply, the one with the least room; null if none does. */
export async function storageOf(
  parts: Settings,
  queries: Queries,
  of: OfDocument,
): Promise<{ stored: number; storageMb: number | null }> {
  const limits = await limitsOf(parts, queries, of);
  if (limits.length === 0)
    return { stored: await storedBytes(queries, { owner: of.owner }), storageMb: null };
  const found = [];
  for (const { whose, storageMb } of limits)
    found.push({ stored: await storedBytes(queries, whose), storageMb });
  const room = (one: { stored: number; storageMb: number }) => one.storageMb * 2 ** 20 - one.stored;
  return found.reduce((least, one) => (room(one) < room(least) ? one : least));
}

/** Bytes stored by each key or user, most first; of one owner or all. */
export async function storedBySubject(queries: Queries, owner?: string) {
  const rows = await queries
    .selectFrom('transcription_document as document')
    .innerJoin('transcription_source as source', 'source.document', 'document.id')
    .select(({ fn }) => ['document.subject', 'document.owner', fn.sum('source.size').as('stored')])
    .$if(owner !== undefined, (query) => query.where('document.owner', '=', owner ?? ''))
    .groupBy(['document.subject', 'document.owner'])
    .orderBy('stored', 'desc')
    .limit(1000)
    .execute();
  return rows.map((row) => ({ ...row, stored: Number(row.stored) }));
}

async function limitsOf(parts: Settings, queries: Queries, { subject, owner }: OfDocument): Promise<Limit[]> {
  const ofKey = subject.startsWith('key:') ? await quotaSet(queries, subject) : undefined;
  const ofUser = await quotaOf(parts, queries, owner);
  const limits: Limit[] = [];
  if (typeof ofKey?.storageMb === 'number') limits.push({ whose: { subject }, storageMb: ofKey.storageMb });
  if (ofUser.storageMb !== null) limits.push({ whose: { owner }, storageMb: ofUser.storageMb });
  return limits;
}

async function storedBytes(queries: Queries, whose: Whose): Promise<number> {
  const [column, value] = documentsOf(whose);
  const row = await queries
    .selectFrom('transcription_document as document')
    .innerJoin('transcription_source as source', 'source.document', 'document.id')
    .select(({ fn }) => fn.sum('source.size').as('size'))
    .where(column, '=', value)
    .executeTakeFirst();
  return Number(row?.size ?? 0);
}
