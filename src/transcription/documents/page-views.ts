import { own } from '../../engine/blob-owners/blob-owners.ts';
import type { BlobReference } from '../../engine/blobs/blobs.ts';
import type { Engine } from '../database/database.ts';
import type { TranscriptionTables } from '../database/tables.ts';
import type { View } from '../views/views.ts';
import { documentOwner, type PageRow } from './document.ts';

type ViewedPage = Pick<PageRow, 'thumbnailHash' | 'thumbnailSize' | 'viewHash' | 'viewSize'>;

const columns = {
  thumbnail: ['thumbnailHash', 'thumbnailSize'],
  view: ['viewHash', 'viewSize'],
} as const satisfies Record<View, unknown>;

/** The stored view of a page; undefined if it has none. */
export function storedView(page: ViewedPage, view: View): BlobReference | undefined {
  const [hash, size] = columns[view];
  const found = page[hash];
  return found === null ? undefined : { hash: found, size: page[size] ?? 0 };
}

/**
 * Keeps a view that was made on demand: pages from before version 0.3 have none. Of two that are made at the same time, one is
 * kept; the other has no owner and is swept.
 */
export async function storeView(
  { blobs, clock, database }: Pick<Engine, 'blobs' | 'clock' | 'database'>,
  page: Pick<PageRow, 'id' | 'document' | 'hash'>,
  view: View,
  bytes: Uint8Array,
): Promise<void> {
  const { hash, size } = await blobs.put(bytes);
  const [hashColumn] = columns[view];
  const values =
    view === 'thumbnail' ? { thumbnailHash: hash, thumbnailSize: size } : { viewHash: hash, viewSize: size };
  await database.withTables<TranscriptionTables>().transaction(async (transaction) => {
    const changed = await transaction
      .updateTable('transcription_page')
      .set(values)
      .where('id', '=', page.id)
      // The page may have been deleted meanwhile.
      .where('hash', '=', page.hash)
      .where(hashColumn, 'is', null)
      .executeTakeFirst();
    if (Number(changed.numUpdatedRows) > 0)
      await own(transaction, hash, documentOwner(page.document), clock.now());
  });
}
