import type { Queries } from '../database/database.ts';
import type { DocumentRow, PageRow } from '../documents/document.ts';
import { type Addresses, addressesOf } from './addresses.ts';
import { largestSent, type Size } from './image-request.ts';

const pagesAtOnce = 500;
/** A4 upright, for pages that could not be opened: a canvas needs a size. */
const unknownSize = { width: 1000, height: 1414 };

type ManifestPage = Pick<
  PageRow,
  'id' | 'source' | 'name' | 'part' | 'state' | 'error' | 'hash' | 'width' | 'height'
>;

/** Streams the manifest of a document (Presentation API 3.0): one canvas per page, in the size of its image. */
export async function* manifestOf(
  queries: Queries,
  document: DocumentRow,
  url: string,
): AsyncGenerator<Uint8Array> {
  const addresses = addressesOf(url, document.id);
  const head = {
    '@context': 'http://iiif.io/api/presentation/3/context.json',
    id: addresses.manifest,
    type: 'Manifest',
    label: plain(document.name),
  };
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`);
  const sources = new Map<string, { name: string; canvases: string[] }>();
  let number = 0;
  for await (const pages of pagesOf(queries, document.id)) {
    const canvases = pages.map((page) => {
      const source = sources.get(page.source) ?? { name: page.name, canvases: [] };
      source.canvases.push(addresses.canvas(page.id));
      sources.set(page.source, source);
      return JSON.stringify(canvasOf(addresses, page, number + pages.indexOf(page) + 1));
    });
    yield Buffer.from(`${number > 0 ? ',' : ''}${canvases.join(',\n')}`);
    number += pages.length;
  }
  yield Buffer.from(`],"structures":${JSON.stringify(rangesOf(addresses, [...sources.values()]))}}`);
}

async function* pagesOf(queries: Queries, document: string): AsyncGenerator<ManifestPage[]> {
  for (let after = -1; ; ) {
    // Page by position: an offset would count all earlier pages each time.
    const some = await queries
      .selectFrom('transcription_page')
      .select(['id', 'source', 'position', 'name', 'part', 'state', 'error', 'hash', 'width', 'height'])
      .where('document', '=', document)
      .where('position', '>', after)
      .orderBy('position')
      .limit(pagesAtOnce)
      .execute();
    after = some.at(-1)?.position ?? after;
    if (some.length > 0) yield some;
    if (some.length < pagesAtOnce) return;
  }
}

/** The size of a page's image; undefined if there is none. */
export function imageSize(page: Pick<PageRow, 'hash' | 'width' | 'height'>): Size | undefined {
  const { hash, width, height } = page;
  return hash === null || width === null || height === null ? undefined : { width, height };
}

function canvasOf(addresses: Addresses, page: ManifestPage, number: number): object {
  const { id } = page;
  const size = imageSize(page);
  const canvas = addresses.canvas(id);
  const base = { id: canvas, type: 'Canvas', label: plain(String(number)), ...(size ?? unknownSize) };
  if (!size) return { ...base, summary: plain(page.error ?? 'This page has no image.') };
  const image = imageOf(addresses.image(id), size);
  const painting = {
    id: `${canvas}/image`,
    type: 'Annotation',
    motivation: 'painting',
    body: image,
    target: canvas,
  };
  return {
    ...base,
    metadata: [
      {
        label: english('File'),
        value: plain(page.part === null ? page.name : `${page.name}, page ${page.part}`),
      },
    ],
    thumbnail: [image],
    items: [{ id: `${canvas}/images`, type: 'AnnotationPage', items: [painting] }],
    ...(page.state === 'done' && {
      annotations: [{ id: addresses.annotations(id), type: 'AnnotationPage', label: english('Text') }],
    }),
  };
}

function imageOf(id: string, size: Size): object {
  return {
    id: `${id}/full/max/0/default.jpg`,
    type: 'Image',
    format: 'image/jpeg',
    ...largestSent(size),
    service: [{ id, type: 'ImageService3', profile: 'level1' }],
  };
}

/** The table of contents: the sources, if there are several. */
function rangesOf(addresses: Addresses, sources: readonly { name: string; canvases: string[] }[]): object[] {
  if (sources.length < 2) return [];
  const items = sources.map(({ name, canvases }, index) => ({
    id: `${addresses.manifest}/range/${index + 1}`,
    type: 'Range',
    label: plain(name),
    items: canvases.map((id) => ({ id, type: 'Canvas' })),
  }));
  return [{ id: `${addresses.manifest}/range`, type: 'Range', label: english('Files'), items }];
}

function plain(text: string): object {
  return { none: [text] };
}

function english(text: string): object {
  return { en: [text] };
}
