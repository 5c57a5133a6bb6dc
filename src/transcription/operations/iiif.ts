import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { stateOf } from '../../engine/house.ts';
import type { OperationContext } from '../../engine/operation/operation.ts';
import {
  type ByteStream,
  defineStream,
  type StreamOperation,
} from '../../engine/operation/stream-operation.ts';
import { documentQueries } from '../database/database.ts';
import { getDocument, type PageRow } from '../documents/document.ts';
import { addressesOf, iiifPaths, iiifTypes } from '../iiif/addresses.ts';
import { TranscriptionState } from '../state/state.ts';
import { documentId, ownerOfDocument, pageName } from './rows.ts';

/** Operations for viewers such as Mirador and OpenSeadragon (IIIF). Only the document's owner may use them, as with its results. */

const someDocument = '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11';
const ofPage = { document: documentId, page: pageName };
const reading = { role: 'reader', owner: ownerOfDocument } as const;

export const documentManifest = defineStream({
  ...reading,
  name: 'document.manifest',
  heavy: true,
  summary: 'Read the IIIF manifest of a document, for viewers',
  paths: [iiifPaths.manifest],
  input: z.strictObject({ document: documentId }),
  example: { document: someDocument },
  async open(context, { document: id }) {
    const { manifestOf } = await import('../iiif/manifest.ts');
    const queries = documentQueries(context.engine);
    const document = await getDocument(queries, id);
    const content = manifestOf(queries, document, urlOf(context));
    return { content, type: iiifTypes.presentation, fileName: 'manifest.json' };
  },
});

export const documentAnnotations = defineStream({
  ...reading,
  name: 'document.annotations',
  summary: 'Read the lines of a page as IIIF annotations',
  paths: [iiifPaths.annotations],
  input: z.strictObject(ofPage),
  example: { document: someDocument, page: 1 },
  async open(context, { document, page: named }) {
    const { engine } = context;
    const [{ annotationPage }, { readPageText }] = await Promise.all([
      import('../iiif/annotations.ts'),
      import('../documents/read-page-text.ts'),
    ]);
    const page = await getPage(engine, document, named);
    // Ignore earlier results while a page is retried.
    const text = page.state === 'done' ? await readPageText(engine, page.id) : undefined;
    const addresses = addressesOf(urlOf(context), document);
    return json(annotationPage(addresses, page.id, text), iiifTypes.presentation);
  },
});

export const documentImageInfo = defineStream({
  ...reading,
  name: 'document.imageInfo',
  summary: 'Describe the image of a page in IIIF (info.json)',
  paths: iiifPaths.info,
  input: z.strictObject(ofPage),
  example: { document: someDocument, page: 1 },
  async open(context, { document, page: named }) {
    const { imageInfo } = await import('../iiif/image-info.ts');
    const { id, size } = await getImage(context.engine, document, named);
    return json(imageInfo(addressesOf(urlOf(context), document).image(id), size), iiifTypes.image);
  },
});

const cutText = z.string().min(1).max(50);

export const documentImage = defineStream({
  ...reading,
  name: 'document.image',
  summary: 'Read the image of a page, or a part of it, in any smaller size, as JPEG (IIIF)',
  paths: [iiifPaths.image],
  input: z.strictObject({
    ...ofPage,
    region: cutText.default('full').describe('`full`, `square`, or `x,y,w,h` in pixels'),
    size: cutText
      .default('max')
      .describe('`max` (4096 pixels at most), or pixels: `w,` or `,h` or `w,h` or `!w,h` (within)'),
    rotation: z.literal(['0', 0]).default(0).describe('Must be 0: images are not rotated'),
    quality: z.literal('default.jpg').default('default.jpg').describe('Must be default.jpg'),
  }),
  example: { document: someDocument, page: 1, region: '0,0,1024,1024', size: '512,' },
  /** The bytes of a cut follow from the image and the cut. */
  async version({ engine }, { document, page: named, region, size }) {
    const { hash } = await getImage(engine, document, named);
    return createHash('sha256').update(`${hash} ${region} ${size}`).digest('base64url');
  },
  async open({ engine, caller, signal }, { document, page: named, region, size }) {
    const { readCut } = await import('../iiif/image-request.ts');
    const image = await getImage(engine, document, named);
    const cut = readCut(image.size, { region, size });
    const by = { blobs: engine.blobs, owner: caller.name, signal };
    const cutters = await stateOf(engine, TranscriptionState).imageCutters.get();
    const jpeg = await cutters.cut(by, image, cut);
    return { content: one(jpeg), size: jpeg.length, type: 'image/jpeg', fileName: 'image.jpg' };
  },
});

async function getPage(
  engine: Engine,
  document: string,
  named: number | string,
): Promise<Pick<PageRow, 'id' | 'name' | 'state' | 'hash' | 'width' | 'height'>> {
  const { findPage } = await import('../documents/page-numbers.ts');
  const queries = documentQueries(engine);
  const id = await findPage(queries, document, named);
  const page = await queries
    .selectFrom('transcription_page')
    .select(['id', 'name', 'state', 'hash', 'width', 'height'])
    .where('id', '=', id ?? '')
    .executeTakeFirst();
  if (!page) throw new PismakError('not-found', `the document has no page ${named}`);
  return page;
}

async function getImage(engine: Engine, document: string, named: number | string) {
  const { imageSize } = await import('../iiif/manifest.ts');
  const page = await getPage(engine, document, named);
  const size = imageSize(page);
  if (!size || page.hash === null) throw new PismakError('not-found', `page ${named} has no image`);
  return { id: page.id, name: page.name, hash: page.hash, size };
}

/** Unknown on the command line; links then use the server's configured address. */
function urlOf({ engine, url }: OperationContext): string {
  const { publicUrl, host, port } = engine.settings.http;
  return url ?? publicUrl?.replace(/\/$/, '') ?? `http://${host}:${port}`;
}

function json(value: object, type: string): ByteStream {
  const bytes = Buffer.from(JSON.stringify(value));
  return { content: one(bytes), size: bytes.length, type, fileName: 'iiif.json' };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export const iiifStreams: StreamOperation[] = [
  documentManifest,
  documentAnnotations,
  documentImageInfo,
  documentImage,
];
