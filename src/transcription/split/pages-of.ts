import { open, readFile, stat } from 'node:fs/promises';
import { messageOf } from '../../engine/errors.ts';
import { isPermanent, PermanentFailure } from '../../engine/processor/processor.ts';
import { type ImageLimits, limitsOf } from '../image/image-limits.ts';
import { isCutShort } from '../image/is-cut-short.ts';
import { describeImage, readTiffPage } from '../image/open-image.ts';
import { type SourceFormat, sourceFormat } from '../image/source-format.ts';
import type { Page } from '../page.ts';
import { readJpeg2000 } from './jpeg2000.ts';
import { hasLostTiffPages } from './lost-tiff-pages.ts';
import { openPdf } from './pdf/pdf-document.ts';
import { openZip } from './read-zip.ts';
import type { SplitConfig } from './split-config.ts';

/** A page, or why it could not be opened. */
export type FoundPage = { name: string; part?: number } & (
  | { image: Uint8Array; width: number; height: number; dpi?: number; text?: Page }
  | { error: string }
);

/** A path, or the bytes of a file in a ZIP. */
type OpenFile = string | Uint8Array;

/**
 * The pages of a source file, one at a time. Throws if the source as a whole can't be opened. A bad page, or a bad file in a
 * ZIP, doesn't affect the others.
 */
export async function* pagesOf(name: string, path: string, config: SplitConfig): AsyncGenerator<FoundPage> {
  if ((await formatOf(path)) !== 'zip') return yield* pagesOfFile(name, path, config);
  const zip = await openZip(path, { entries: config.MAX_PAGES, bytes: limitsOf(config).bytes });
  try {
    if (zip.entries.length === 0) throw new PermanentFailure('the ZIP contains no files');
    for (const entry of zip.entries) {
      try {
        const bytes = await entry.read();
        if (sourceFormat(bytes) === 'zip')
          throw new PermanentFailure('a ZIP in a ZIP is not supported; unpack it first');
        yield* pagesOfFile(entry.name, bytes, config);
      } catch (error) {
        yield { name: entry.name, error: reasonOf(error) };
      }
    }
  } finally {
    zip.close();
  }
}

async function* pagesOfFile(name: string, file: OpenFile, config: SplitConfig): AsyncGenerator<FoundPage> {
  const limits = limitsOf(config);
  await checkSize(file, limits);
  const format = await formatOf(file);
  if (format === 'pdf') return yield* pagesOfPdf(name, file, config, limits);
  const bytes = typeof file === 'string' ? await readFile(file) : file;
  if (format === 'jp2') return yield { name, ...(await readJpeg2000(bytes, limits)) };
  const { pages, width, height, dpi } = await describeImage(bytes, limits);
  if (format === 'tiff') return yield* pagesOfTiff(name, bytes, checked(pages, config), limits);
  if (isCutShort(bytes)) throw new PermanentFailure('the image is truncated; scan or upload it again');
  yield { name, image: bytes, width, height, ...(dpi === undefined ? {} : { dpi }) };
}

async function* pagesOfPdf(
  name: string,
  file: OpenFile,
  config: SplitConfig,
  limits: ImageLimits,
): AsyncGenerator<FoundPage> {
  const pdf = await openPdf(file);
  try {
    if (pdf.pages === 0) throw new PermanentFailure('the PDF has no pages');
    const wanted = { textLayer: config.TEXT_LAYER, dpi: config.PDF_DPI, limits };
    yield* eachPage(name, checked(pdf.pages, config), (index) => pdf.page(index, wanted));
  } finally {
    pdf.close();
  }
}

async function* pagesOfTiff(
  name: string,
  bytes: Uint8Array,
  pages: number,
  limits: ImageLimits,
): AsyncGenerator<FoundPage> {
  const lost = hasLostTiffPages(bytes);
  yield* eachPage(name, lost ? pages + 1 : pages, async (index) => {
    if (index === pages) {
      throw new PermanentFailure(
        `the TIFF is truncated after page ${pages} and more pages may be missing; upload it again`,
      );
    }
    const { png: image, ...facts } = await readTiffPage(bytes, index, limits);
    return { image, ...facts };
  });
}

async function* eachPage(
  name: string,
  pages: number,
  read: (
    index: number,
  ) => Promise<{ image: Uint8Array; width: number; height: number; dpi?: number; text?: Page }>,
): AsyncGenerator<FoundPage> {
  if (pages === 1) return yield { name, ...(await read(0)) };
  for (let index = 0; index < pages; index++) {
    const page = { name, part: index + 1 };
    const found = await read(index).catch((error: unknown) => ({ error: reasonOf(error) }));
    yield { ...page, ...found };
  }
}

async function formatOf(file: OpenFile): Promise<SourceFormat | undefined> {
  if (typeof file !== 'string') return sourceFormat(file);
  const opened = await open(file);
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(1024), 0, 1024, 0);
    return sourceFormat(buffer.subarray(0, bytesRead));
  } finally {
    await opened.close();
  }
}

/** Call it before reading the file into memory. */
async function checkSize(file: OpenFile, { bytes }: ImageLimits): Promise<void> {
  const size = typeof file === 'string' ? (await stat(file)).size : file.length;
  if (size <= bytes) return;
  const [found, most] = [size, bytes].map((length) => `${Math.round(length / 1024 / 1024)} MB`);
  throw new PermanentFailure(`the file has ${found}; the limit is ${most}`);
}

function checked(pages: number, config: SplitConfig): number {
  if (pages <= config.MAX_PAGES) return pages;
  throw new PermanentFailure(
    `the file has ${pages} pages; the limit is ${config.MAX_PAGES}, so split the file`,
  );
}

/** Only faults of the file become the page's error; anything else fails the attempt. */
function reasonOf(error: unknown): string {
  if (!isPermanent(error)) throw error;
  return messageOf(error);
}
