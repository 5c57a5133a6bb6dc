import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../engine/ground/errors.ts';
import { isPermanent, PermanentFailure } from '../../engine/processor/processor.ts';
import { Overrun } from '../../engine/processor/watch-use.ts';
import { type ImageLimits, limitsOf } from '../image/image-limits.ts';
import { mayBeCutShort } from '../image/is-cut-short.ts';
import { describeImageFile } from '../image/open-image.ts';
import { type SourceFormat, sourceFormat } from '../image/source-format.ts';
import type { PageReader } from './reader/page-reader.ts';
import type { PageFacts, PageFile } from './reader/question.ts';
import type { SplitConfig } from './split-config.ts';
import { openZipOfScans } from './zip-of-scans.ts';

/** A page, or why it could not be opened. */
export type FoundPage = { name: string; part?: number } & (
  | ({
      /** A file with the image, which the caller must remove. */
      image: string;
    } & PageFacts)
  | { error: string; isOverrun: boolean }
);

/** How to open a source. */
export interface Opening {
  config: SplitConfig;
  reader: PageReader;
  /** A directory for temporary files. */
  directory: string;
  signal: AbortSignal;
  /** Number of pages to skip, because they are known already. */
  skip: number;
}

/**
 * Yields the pages of a source file one by one. Throws if the source as a whole can't be opened. A bad page, or a bad file in a
 * ZIP, doesn't affect the others.
 */
export async function* pagesOf(name: string, path: string, opening: Opening): AsyncGenerator<FoundPage> {
  if ((await formatOf(path)) === 'zip') yield* pagesOfZip(path, opening);
  else yield* pagesOfFile(name, path, opening);
}

async function* pagesOfZip(path: string, opening: Opening): AsyncGenerator<FoundPage> {
  const { config, directory, reader, signal } = opening;
  const zip = await openZipOfScans(path, { entries: config.MAX_PAGES, bytes: limitsOf(config).bytes });
  let { skip } = opening;
  try {
    if (zip.entries.length === 0) throw new PermanentFailure('the ZIP contains no files');
    for (const [number, entry] of zip.entries.entries()) {
      const file = join(directory, `entry-${number}`);
      try {
        const format = sourceFormat(await entry.head());
        const hasPages = format === 'pdf' || format === 'tiff';
        if (format === 'zip') throw new PermanentFailure('a ZIP in a ZIP is not supported; unpack it first');
        if (!hasPages && skip > 0) {
          skip--;
          continue;
        }
        await entry.save(file);
        const pages = hasPages && skip > 0 ? await reader.count(pageFile(file, format, opening), signal) : 1;
        if (pages > skip) yield* pagesOfFile(entry.name, file, { ...opening, skip });
        skip = Math.max(0, skip - pages);
        // Other files are the page itself, which the caller removes.
        if (hasPages) await rm(file);
      } catch (error) {
        const failure = failureOf(error);
        if (skip > 0) skip--;
        else yield { name: entry.name, ...failure };
        await rm(file, { force: true });
      }
    }
  } finally {
    zip.close();
  }
}

async function* pagesOfFile(name: string, path: string, opening: Opening): AsyncGenerator<FoundPage> {
  const { config, reader, signal, skip } = opening;
  const limits = limitsOf(config);
  await checkSize(path, limits);
  const format = await formatOf(path);
  if (format === 'pdf' || format === 'tiff' || format === 'jp2') {
    const file = pageFile(path, format, opening);
    const pages = await reader.count(file, signal);
    if (pages === 0) throw new PermanentFailure('the PDF has no pages');
    return yield* eachPage(name, file, checked(pages, config), opening);
  }
  const { format: kind, width, height, dpi } = await describeImageFile(path, limits);
  if (mayBeCutShort(path)) await reader.check(pageFile(path, kind, opening), signal);
  if (skip === 0) yield { name, image: path, width, height, ...(dpi === undefined ? {} : { dpi }) };
}

async function* eachPage(
  name: string,
  file: PageFile,
  pages: number,
  { reader, signal, skip }: Opening,
): AsyncGenerator<FoundPage> {
  const save = async (index: number) => {
    const image = `${file.path}-page-${index}`;
    return { image, ...(await reader.save(file, index, image, signal)) };
  };
  if (pages === 1) {
    if (skip === 0) yield { name, ...(await save(0)) };
    return;
  }
  for (let index = skip; index < pages; index++) {
    const found = await save(index).catch(failureOf);
    yield { name, part: index + 1, ...found };
  }
}

function pageFile(path: string, format: PageFile['format'], { config }: Opening): PageFile {
  const { TEXT_LAYER: textLayer, PDF_DPI: dpi, MAX_PAGES: maxPages } = config;
  return { path, format, textLayer, dpi, maxPages, limits: limitsOf(config) };
}

async function formatOf(path: string): Promise<SourceFormat | undefined> {
  const opened = await open(path);
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(1024), 0, 1024, 0);
    return sourceFormat(buffer.subarray(0, bytesRead));
  } finally {
    await opened.close();
  }
}

async function checkSize(path: string, { bytes }: ImageLimits): Promise<void> {
  const { size } = await stat(path);
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
function failureOf(error: unknown): { error: string; isOverrun: boolean } {
  if (!isPermanent(error)) throw error;
  return { error: messageOf(error), isOverrun: error instanceof Overrun };
}
