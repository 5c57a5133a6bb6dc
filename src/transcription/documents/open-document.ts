import { checkMayUse, putsAreUsed } from '../../engine/blob-owners/blob-access.ts';
import { disownOne, own } from '../../engine/blob-owners/blob-owners.ts';
import { isOwnedBy } from '../../engine/blob-owners/owners-of.ts';
import type { Caller, Role } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { newId } from '../../engine/ground/identity.ts';
import { sectionOf } from '../../engine/house.ts';
import type { Queries } from '../database/database.ts';
import type { Format } from '../formats/output-formats.ts';
import { transcriptionSection } from '../settings/settings.ts';
import { foldedName } from '../text/fold.ts';
import { checkLanguages } from './check-language.ts';
import { type DocumentParts, type DocumentRow, documentOwner, getDocument, tellChange } from './document.ts';
import { pipelineStages } from './pipeline-stages.ts';
import { checkStorage } from './storage-quota.ts';

export interface NewDocument {
  owner: string;
  /** The owner's role; default: user. */
  role?: Role | undefined;
  subject: string;
  name: string;
  pipeline: string;
  language: string;
  formats: readonly Format[];
  priority: number;
  again: boolean;
  textLayer?: boolean | undefined;
  webhook?: string | undefined;
}

/** Creates an empty document. Its sources are not processed until it is submitted. */
export async function createDocument(parts: DocumentParts, wanted: NewDocument): Promise<DocumentRow> {
  // Refuse an unknown pipeline before anything is uploaded.
  const found = await parts.pipelines.find(wanted.pipeline, wanted);
  const pipeline = found?.name ?? wanted.pipeline;
  await pipelineStages(parts, pipeline);
  const language = await checkLanguages(parts, pipeline, wanted.language);
  const { formats, again, textLayer, webhook = null, role: _, ...rest } = wanted;
  const row: DocumentRow = {
    ...rest,
    pipeline,
    language,
    id: newId(parts.clock),
    state: 'open',
    formatsJson: JSON.stringify([...new Set(formats)]),
    again: again ? 1 : 0,
    textLayer: textLayer === undefined ? null : Number(textLayer),
    webhook,
    resumed: 0,
    createdAt: parts.clock.now(),
    submittedAt: null,
    endedAt: null,
    nameKey: foldedName(wanted.name),
    pageCount: 0,
    withoutText: 0,
    meanConfidence: -1,
  };
  await parts.database.transaction(async (transaction) => {
    if (wanted.role !== 'admin') await checkDocuments(parts, transaction, wanted.owner);
    await transaction.insertInto('transcription_document').values(row).execute();
  });
  tellChange(parts, row, row.state);
  return row;
}

async function checkDocuments({ settings }: DocumentParts, queries: Queries, owner: string): Promise<void> {
  const { documents: most } = sectionOf(settings, transcriptionSection);
  if (most === 0) return;
  const row = await queries
    .selectFrom('transcription_document as document')
    .select('id')
    .where('owner', '=', owner)
    .orderBy('id')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst();
  if (!row) return;
  throw new PismakError(
    'quota-exceeded',
    `you have ${most} documents, and that is the limit (setting transcription.documents); delete some with \`pismak document delete\``,
    { details: { limit: most } },
  );
}

const mostSources = 100_000;

/**
 * Adds uploaded bytes as a source. The same name and bytes are added only once, so a client can safely repeat a call.
 */
export async function addSource(
  parts: DocumentParts,
  document: string,
  { name, hash }: { name: string; hash: string },
  caller: Pick<Caller, 'name' | 'role'>,
): Promise<{ id: string; size: number; added: boolean }> {
  const { blobs, clock, database } = parts;
  const owner = documentOwner(document);
  // Own the blob before looking at it, so the sweep can't delete it meanwhile.
  const hadIt = await database.transaction(async (transaction) => {
    const { state } = await getDocument(transaction, document);
    if (state === 'cancelled')
      throw new PismakError(
        'conflict',
        `this document is cancelled; \`pismak document resume ${document}\` continues it`,
      );
    await checkMayUse(parts, transaction, caller, hash);
    const had = await isOwnedBy(transaction, hash, owner);
    await own(transaction, hash, owner, clock.now());
    return had;
  });
  try {
    const size = await blobs.size(hash);
    return await insertSource(parts, document, { name, hash, size }, caller);
  } catch (error) {
    // If the document owned the blob before, a source or result uses it.
    if (!hadIt) await disownUnused(parts, document, hash);
    throw error;
  }
}

async function insertSource(
  parts: DocumentParts,
  document: string,
  { name, hash, size }: { name: string; hash: string; size: number },
  caller: Pick<Caller, 'name'>,
): Promise<{ id: string; size: number; added: boolean }> {
  const { clock, database } = parts;
  return database.transaction(async (transaction) => {
    // Without this, two additions on PostgreSQL could compute the same position, and one would fail.
    await waitForOthers(transaction, document);
    const row = await getDocument(transaction, document);
    await putsAreUsed(transaction, [hash], caller.name);
    // Again: a refused addition of the same bytes may have disowned them meanwhile.
    await own(transaction, hash, documentOwner(document), clock.now());
    const sources = transaction.selectFrom('transcription_source as source').where('document', '=', document);
    const same = await sources
      .select('id')
      .where('name', '=', name)
      .where('hash', '=', hash)
      .executeTakeFirst();
    if (same) return { id: same.id, size, added: false };
    await checkStorage(parts, transaction, row, size);
    const last = await sources.select(({ fn }) => fn.max('position').as('position')).executeTakeFirst();
    const position = Number(last?.position ?? 0) + 1;
    if (position > mostSources)
      throw new PismakError('too-large', `a document has at most ${mostSources} sources; create another one`);
    const id = newId(clock);
    const fresh = { state: 'new', error: null, log: '', request: newId(clock) };
    await transaction
      .insertInto('transcription_source')
      .values({ id, document, position, name, hash, size, ...fresh })
      .execute();
    return { id, size, added: true };
  });
}

async function disownUnused({ database }: DocumentParts, document: string, hash: string): Promise<void> {
  await database.transaction(async (transaction) => {
    await waitForOthers(transaction, document);
    const used = await transaction
      .selectFrom('transcription_source')
      .select('id')
      .where('document', '=', document)
      .where('hash', '=', hash)
      .executeTakeFirst();
    if (!used) await disownOne(transaction, hash, documentOwner(document));
  });
}

/** Locks the document until the transaction ends, so that changes to its sources are serial. */
async function waitForOthers(transaction: Queries, document: string): Promise<void> {
  await transaction
    .updateTable('transcription_document')
    .set({ id: document })
    .where('id', '=', document)
    .execute();
}
