import { readBlob } from '../../engine/blobs/blobs.ts';
import type { Engine } from '../database/database.ts';
import { documentQueries } from '../database/database.ts';
import { files } from '../page/files.ts';
import { type Page, page as pageModel } from '../page/page.ts';
import { transformation } from '../page/transformation.ts';

/** More than any page; a larger file would block this process for too long. */
const mostPageBytes = 8 * 2 ** 20;

/** The recognised text of a page in pixels of the owner's image; undefined if there is none. */
export async function readPageText(
  { blobs, database }: Pick<Engine, 'blobs' | 'database'>,
  page: string,
): Promise<Page | undefined> {
  const found = await documentQueries({ database })
    .selectFrom('transcription_pageFile as pageFile')
    .select(['name', 'hash', 'size'])
    .where('page', '=', page)
    .where('name', 'in', [files.page, files.prepared])
    .execute();
  const file = found.find(({ name }) => name === files.page);
  if (!file || file.size > mostPageBytes) return undefined;
  const read = async (hash: string) => JSON.parse(Buffer.from(await readBlob(blobs, hash)).toString());
  const model = pageModel.safeParse(await read(file.hash));
  if (!model.success) return undefined;
  // Only if the page did not go through `export`, which maps it onto the owner's image.
  const prepared = found.find(({ name }) => name === files.prepared);
  if (!prepared || prepared.size > mostPageBytes) return model.data;
  const { inSource } = await import('../export/source-page.ts');
  const way = transformation.safeParse(await read(prepared.hash));
  return inSource(model.data, way.success ? way.data : undefined);
}
