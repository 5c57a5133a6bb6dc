import { ownAll } from '../../engine/blob-owners/blob-owners.ts';
import type { Queries } from '../database/database.ts';
import { type DocumentParts, type DocumentRow, documentOwner, type PageRow } from '../documents/document.ts';
import type { ReusablePage } from '../documents/reuse.ts';
import { createTextIndex } from '../search/text-index.ts';

/** Gives pages that were read before their earlier results. The blobs are shared. */
export async function reusePages(
  { clock, database }: DocumentParts,
  transaction: Queries,
  document: DocumentRow,
  pages: readonly (PageRow & { reuseKey: string })[],
  known: ReadonlyMap<string, ReusablePage>,
): Promise<void> {
  const index = createTextIndex(database);
  const now = clock.now();
  for (const page of pages) {
    const before = known.get(page.reuseKey);
    if (!before) continue;
    const files = await transaction
      .selectFrom('transcription_pageFile as pageFile')
      .selectAll()
      .where('page', '=', before.id)
      .execute();
    if (files.length > 0)
      await transaction
        .insertInto('transcription_pageFile')
        .values(files.map((file) => ({ ...file, page: page.id })))
        .execute();
    const hashes = files.map((file) => file.hash);
    await ownAll(transaction, hashes, documentOwner(document.id), now);
    const text = await transaction
      .selectFrom('transcription_pageText as pageText')
      .select('text')
      .where('page', '=', before.id)
      .executeTakeFirst();
    if (text)
      await index.put(transaction, {
        page: page.id,
        document: document.id,
        owner: document.owner,
        text: text.text,
      });
    const { id: _, log, ...reading } = before;
    await transaction
      .updateTable('transcription_page')
      .set({
        ...reading,
        state: 'done',
        endedAt: now,
        log: `the same page was read before; its results are reused\n${log}`,
      })
      .where('id', '=', page.id)
      .execute();
  }
}
