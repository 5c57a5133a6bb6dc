import { eraseGivenUp, giveUp } from '../../engine/blob-owners/blob-erasure.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { createTextIndex } from '../search/text-index.ts';
import {
  activeStates,
  batchOf,
  type DocumentParts,
  documentOwner,
  getDocument,
  tellChange,
} from './document.ts';
import { storeFigures } from './document-figures.ts';
import { dropKeywords } from './document-keywords.ts';
import { dropNumbers } from './page-numbers.ts';

/**
 * Cancels a document: keeps finished pages, stops running work, and drops waiting work. May be repeated.
 */
export async function cancelDocument(parts: DocumentParts, id: string): Promise<{ pages: number }> {
  const { state, pages } = await stopDocument(parts, id);
  if (state === 'done' || state === 'partly' || state === 'failed') {
    const message = `document ${id} is finished (${state}), so there is nothing to cancel; \`pismak document delete\` removes it`;
    throw new PismakError('conflict', message);
  }
  return { pages };
}

/** Resolves to the previous state. */
async function stopDocument(parts: DocumentParts, id: string): Promise<{ state: string; pages: number }> {
  const { backlog, cancellations, clock, database } = parts;
  const result = await database.transaction(async (transaction) => {
    const document = await getDocument(transaction, id);
    if (document.state !== 'open' && !activeStates.includes(document.state))
      return { document, pages: 0, isStopped: false };
    const now = clock.now();
    await transaction
      .updateTable('transcription_document')
      .set({ state: 'cancelled', endedAt: now })
      .where('id', '=', id)
      .execute();
    await transaction
      .updateTable('transcription_source')
      .set({ state: 'cancelled' })
      .where('document', '=', id)
      .where('state', 'in', ['new', 'waiting'])
      .execute();
    const pages = await transaction
      .updateTable('transcription_page')
      .set({ state: 'cancelled', endedAt: now })
      .where('document', '=', id)
      .where('state', '=', 'waiting')
      .executeTakeFirst();
    // A document that was never submitted has no requests.
    if (document.state !== 'open')
      await cancellations.add(transaction, { owner: document.owner, names: [batchOf(document)] });
    await storeFigures(transaction, document);
    return { document, pages: Number(pages.numUpdatedRows), isStopped: true };
  });
  // Even if it was cancelled before: that process may have died before this line.
  await backlog.cancel(id);
  await cancellations.announce();
  if (result.isStopped) tellChange(parts, result.document, 'cancelled');
  return { state: result.document.state, pages: result.pages };
}

/** Deletes the document with its rows, texts, index entries, and the blobs that nothing else owns. */
export async function eraseDocument(parts: DocumentParts, id: string): Promise<void> {
  const { clock, database } = parts;
  await stopDocument(parts, id);
  while ((await erasePages(parts, id)) === pagesPerStep);
  const document = await database.transaction(async (transaction) => {
    const row = await getDocument(transaction, id);
    await dropNumbers(transaction, id);
    await dropKeywords(transaction, id);
    await transaction.deleteFrom('transcription_source').where('document', '=', id).execute();
    await transaction.deleteFrom('transcription_document').where('id', '=', id).execute();
    await giveUp(transaction, documentOwner(id), clock.now());
    return row;
  });
  await eraseGivenUp(parts);
  parts.changes.add({ kind: 'document', entity: id, owner: document.owner, data: { deleted: true } });
}

const pagesPerStep = 500;

/** Erases a batch of pages, so that other writers get a turn in between; resolves to their number. */
async function erasePages({ database }: DocumentParts, document: string): Promise<number> {
  const index = createTextIndex(database);
  return database.transaction(async (transaction) => {
    const rows = await transaction
      .selectFrom('transcription_page')
      .select('id')
      .where('document', '=', document)
      .orderBy('position')
      .limit(pagesPerStep)
      .execute();
    const pages = rows.map(({ id }) => id);
    if (pages.length === 0) return 0;
    await transaction.deleteFrom('transcription_pageFile').where('page', 'in', pages).execute();
    await index.removePages(transaction, pages);
    await transaction.deleteFrom('transcription_page').where('id', 'in', pages).execute();
    return pages.length;
  });
}
