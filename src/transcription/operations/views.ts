import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import { stateOf } from '../../engine/house.ts';
import { defineStream, type StreamOperation } from '../../engine/operation/stream-operation.ts';
import type { Engine } from '../database/database.ts';
import { documentQueries } from '../database/database.ts';
import { TranscriptionState } from '../state/state.ts';
import { type View, views } from '../views/views.ts';
import { documentId, ownerOfDocument, pageName } from './rows.ts';

const ofPage = z.strictObject({ document: documentId, page: pageName });

export const documentThumbnail = defineStream(
  viewStream('thumbnail', 'Read a small image of a page, as JPEG'),
);
export const documentView = defineStream(
  viewStream('view', 'Read an image of a page for the screen, as JPEG'),
);

/** `split` stores them. Those of pages from before version 0.3 are made, and stored, when somebody first asks for them. */
function viewStream(view: View, summary: string): StreamOperation<typeof ofPage> {
  return {
    name: `document.${view}`,
    summary: `${summary}; at most ${views[view].longest} pixels high and wide`,
    role: 'reader',
    owner: ownerOfDocument,
    input: ofPage,
    example: { document: '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11', page: 1 },
    version: async ({ engine }, { document, page }) =>
      (await findView(engine, document, page, view)).stored?.hash,
    async open({ engine, caller, signal }, { document, page: named }) {
      const { page, stored } = await findView(engine, document, named, view);
      const answer = { type: 'image/jpeg', fileName: `${view}.jpg` };
      if (stored) return { content: engine.blobs.get(stored.hash), size: stored.size, ...answer };
      const [{ imageSize }, { readCut }, { storeView }] = await Promise.all([
        import('../iiif/manifest.ts'),
        import('../iiif/image-request.ts'),
        import('../documents/page-views.ts'),
      ]);
      const size = imageSize(page);
      const { hash } = page;
      if (!size || hash === null) throw new PismakError('not-found', `page ${named} has no image`);
      const { longest } = views[view];
      const cut = readCut(size, { region: 'full', size: `!${longest},${longest}` });
      const by = { blobs: engine.blobs, owner: caller.name, signal };
      const cutters = await stateOf(engine, TranscriptionState).imageCutters.get();
      const jpeg = await cutters.cut(by, { hash, name: page.name }, cut);
      try {
        engine.disk.check(jpeg.length);
        await storeView(engine, page, view, jpeg);
      } catch (error) {
        engine.log.warn({ err: error, page: page.id }, `the ${view} of a page could not be stored`);
      }
      return { content: one(jpeg), size: jpeg.length, ...answer };
    },
  };
}

async function findView(engine: Engine, document: string, named: number | string, view: View) {
  const [{ findPage }, { storedView }] = await Promise.all([
    import('../documents/page-numbers.ts'),
    import('../documents/page-views.ts'),
  ]);
  const queries = documentQueries(engine);
  const id = await findPage(queries, document, named);
  const page = await queries
    .selectFrom('transcription_page')
    .select(['id', 'document', 'name', 'hash', 'width', 'height'])
    .select(['thumbnailHash', 'thumbnailSize', 'viewHash', 'viewSize'])
    .where('id', '=', id ?? '')
    .executeTakeFirst();
  if (!page) throw new PismakError('not-found', `the document has no page ${named}`);
  return { page, stored: storedView(page, view) };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export const viewStreams: StreamOperation[] = [documentThumbnail, documentView];
