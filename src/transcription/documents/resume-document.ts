import { PismakError } from '../../engine/ground/errors.ts';
import { type DocumentParts, getDocument, tellChange } from './document.ts';
import { finishIfComplete } from './finish-document.ts';
import { retryDocument } from './retry-document.ts';

/**
 * Continues a cancelled document: sends cancelled and failed pages and sources, and keeps finished ones. A document that was
 * cancelled before it was submitted is open again.
 */
export async function resumeDocument(
  parts: DocumentParts,
  id: string,
): Promise<{ pages: number; sources: number }> {
  const document = await reopen(parts, id);
  tellChange(parts, document, document.state);
  if (document.state === 'open') return { pages: 0, sources: 0 };
  const sent = await retryDocument(parts, id);
  // There may have been nothing left to do.
  await finishIfComplete(parts, id);
  return sent;
}

/** Starts a new batch, because workers still cancel requests of the old one. */
async function reopen({ database }: DocumentParts, id: string) {
  return database.transaction(async (transaction) => {
    const document = await getDocument(transaction, id);
    if (document.state !== 'cancelled') {
      const advice =
        document.state === 'open' ? 'submit it' : '`pismak document retry` sends failed pages again';
      throw new PismakError('conflict', `document ${id} is not cancelled (${document.state}); ${advice}`);
    }
    const state = document.submittedAt === null ? 'open' : 'running';
    const resumed = document.resumed + 1;
    await transaction
      .updateTable('transcription_document')
      .set({ state, resumed, endedAt: null })
      .where('id', '=', id)
      .where('state', '=', 'cancelled')
      .execute();
    if (state === 'open')
      await transaction
        .updateTable('transcription_source')
        .set({ state: 'new' })
        .where('document', '=', id)
        .where('state', '=', 'cancelled')
        .execute();
    return { ...document, state, resumed };
  });
}
