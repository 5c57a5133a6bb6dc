import { PismakError } from '../../engine/ground/errors.ts';
import { type DocumentParts, type DocumentRow, getDocument, tellChange } from './document.ts';
import { checkQuota } from './quota.ts';
import { splitItem } from './requests.ts';

/** Sends the sources added since the last call, if any. */
export async function submitDocument(parts: DocumentParts, id: string): Promise<{ sources: number }> {
  const { backlog, clock, database } = parts;
  const sent = await database.transaction(async (transaction) => {
    const document = await getDocument(transaction, id);
    refuseCancelled(document);
    const ofDocument = transaction
      .selectFrom('transcription_source as source')
      .selectAll()
      .where('document', '=', id);
    const sources = await ofDocument.where('state', '=', 'new').orderBy('position').execute();
    if (sources.length === 0 && document.state === 'open')
      throw new PismakError('invalid-input', 'the document is empty: add at least one source first');
    if (sources.length === 0) return { document, count: 0 };
    await checkQuota(parts, transaction, document, sources.length);
    const now = clock.now();
    await backlog.add(
      transaction,
      sources.map((source) => splitItem(document, { ...source, request: source.request ?? '' }, now)),
    );
    await transaction
      .updateTable('transcription_source')
      .set({ state: 'waiting' })
      .where('document', '=', id)
      .where('state', '=', 'new')
      .execute();
    await transaction
      .updateTable('transcription_document')
      .set({ state: 'waiting', submittedAt: document.submittedAt ?? now, endedAt: null })
      .where('id', '=', id)
      .execute();
    return { document, count: sources.length };
  });
  backlog.wake();
  if (sent.count > 0) tellChange(parts, sent.document, 'waiting');
  return { sources: sent.count };
}

export function refuseCancelled({ id, state }: DocumentRow): void {
  if (state === 'cancelled')
    throw new PismakError(
      'conflict',
      `this document is cancelled; \`pismak document resume ${id}\` continues it`,
    );
}
