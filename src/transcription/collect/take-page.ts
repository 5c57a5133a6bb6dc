import { giveUp } from '../../engine/blob-owners/blob-erasure.ts';
import { ownAll } from '../../engine/blob-owners/blob-owners.ts';
import type { Request } from '../../engine/request/request.ts';
import { requestOwner, sizeOf } from '../../engine/request/result-files.ts';
import { storedFile } from '../../engine/results/stored-files.ts';
import type { Queries } from '../database/database.ts';
import { type DocumentParts, documentOwner, getDocument, type PageRow } from '../documents/document.ts';
import { reuseKey } from '../documents/reuse.ts';
import { files } from '../page/files.ts';
import { whyTooLarge } from '../page/job-page.ts';
import { createTextIndex } from '../search/text-index.ts';
import { readingOf } from './page-text.ts';
import { failureOf, logText } from './stage-log.ts';

/** Files that only the stages need. The document owns the source already. */
const notKept = new Set<string>([files.order, files.source, files.image, files.layout]);

/** Collects a page, done or failed. A second or late result changes nothing. */
export async function takePage(parts: DocumentParts, page: PageRow, request: Request): Promise<void> {
  const failure = failureOf(request);
  if (failure !== undefined) return endPage(parts, page, request, { state: 'failed', error: failure });
  const model = request.results.find((file) => file.name === files.page);
  const tooLarge = model && whyTooLarge(model.name, sizeOf(model));
  if (tooLarge !== undefined) return endPage(parts, page, request, { state: 'failed', error: tooLarge });
  const { blobs, clock, database } = parts;
  const wanted = request.results.filter((file) => !notKept.has(file.name));
  const kept = await Promise.all(wanted.map((file) => storedFile(blobs, file)));
  const { text, ...reading } = await readingOf(blobs, request);
  const index = createTextIndex(database);
  await endPage(parts, page, request, { state: 'done', error: null }, async (transaction) => {
    const document = await getDocument(transaction, page.document);
    const hashes = kept.map((file) => file.hash);
    await ownAll(transaction, hashes, documentOwner(document.id), clock.now());
    await transaction.deleteFrom('transcription_pageFile').where('page', '=', page.id).execute();
    if (kept.length > 0)
      await transaction
        .insertInto('transcription_pageFile')
        .values(kept.map((file) => ({ page: page.id, ...file })))
        .execute();
    const { owner } = document;
    if (text === undefined) await index.removePages(transaction, [page.id]);
    else await index.put(transaction, { page: page.id, document: document.id, owner, text });
    // Use the stage versions that did the work: they may be newer than when the page was sent.
    const key = reuseKey(document, page, request.logs);
    await transaction
      .updateTable('transcription_page')
      .set({ ...reading, reuseKey: key })
      .where('id', '=', page.id)
      .execute();
  });
}

async function endPage(
  { clock, database, events }: DocumentParts,
  page: PageRow,
  request: Request,
  result: { state: 'done' | 'failed'; error: string | null },
  also: (transaction: Queries) => Promise<void> = async () => {},
): Promise<void> {
  const now = clock.now();
  const ended = await database.transaction(async (transaction) => {
    const changed = await transaction
      .updateTable('transcription_page')
      .set({ ...result, log: logText(request), endedAt: now })
      .where('id', '=', page.id)
      .where('request', '=', request.uuid)
      .where('state', '=', 'waiting')
      .executeTakeFirst();
    const first = Number(changed.numUpdatedRows) > 0;
    if (first) await also(transaction);
    await giveUp(transaction, requestOwner(request), now);
    return first;
  });
  if (!ended) return;
  const dimensions = { document: page.document, ms: now - page.createdAt };
  events.emit({ kind: `page.${result.state}`, entity: page.id, user: request.owner, at: now, dimensions });
}
