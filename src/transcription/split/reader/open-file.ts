import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { PermanentFailure } from '../../../engine/processor/processor.ts';
import { FileBytes } from '../../image/file-bytes.ts';
import { loadSharp } from '../../image/load-sharp.ts';
import { checkImage, countTiffPages, saveTiffPage } from '../../image/open-image.ts';
import { endTiffChain } from '../../image/tiff-chain.ts';
import { readJpeg2000 } from '../jpeg2000.ts';
import { openPdf } from '../pdf/pdf-document.ts';
import type { PageFacts, PageFile } from './question.ts';

export interface OpenFile {
  pages: number;
  /** Saves the image of a page, counted from 0. */
  save(index: number, to: string): Promise<PageFacts>;
  close(): void;
}

export async function openFile(file: PageFile): Promise<OpenFile> {
  if (file.format === 'pdf') return openPdfFile(file);
  if (file.format === 'tiff') return openTiffFile(file);
  return {
    pages: 1,
    async save(_, to) {
      const bytes = new FileBytes(file.path);
      try {
        const { image, width, height } = await readJpeg2000(bytes, file.limits);
        await writeFile(to, image);
        return { width, height };
      } finally {
        bytes.close();
      }
    },
    close() {},
  };
}

/** Decodes a PNG, JPEG or WebP to see whether it is whole. */
export async function checkFile({ path, limits }: PageFile): Promise<void> {
  await checkImage(await readFile(path), limits);
}

async function openPdfFile({ path, textLayer, dpi, limits }: PageFile): Promise<OpenFile> {
  const bytes = new FileBytes(path);
  const pdf = await openPdf([bytes]).catch((error: unknown) => {
    bytes.close();
    throw error;
  });
  return {
    pages: pdf.pages,
    async save(index, to) {
      const { image, ...facts } = await pdf.page(index, { textLayer, dpi, limits });
      await writeFile(to, image);
      return facts;
    },
    close() {
      pdf.close();
      bytes.close();
    },
  };
}

/** Black and white, grey or RGB, upright. */
async function isPlainTiff(path: string): Promise<boolean> {
  const sharp = await loadSharp();
  const {
    bitsPerSample,
    channels,
    hasAlpha,
    isPalette,
    orientation = 1,
    space,
  } = await sharp(path).metadata();
  const isUsual =
    bitsPerSample === 8 ? channels === 1 || channels === 3 : bitsPerSample === 1 && channels === 1;
  return isUsual && !hasAlpha && !isPalette && orientation === 1 && (space === 'b-w' || space === 'srgb');
}

async function openTiffFile({ path, limits, maxPages }: PageFile): Promise<OpenFile> {
  const isCut = endTiffChain(path, maxPages);
  const pages = await countTiffPages(path);
  return {
    pages: isCut ? pages + 1 : pages,
    async save(index, to) {
      if (index < pages) {
        const facts = await saveTiffPage(path, index, to, limits);
        // It could be decoded, so it can stay as it is, if all programs can read it.
        if (pages === 1 && !isCut && (await isPlainTiff(path))) await copyFile(path, to);
        return facts;
      }
      throw new PermanentFailure(
        `the TIFF is truncated after page ${pages} and more pages may be missing; upload it again`,
      );
    },
    close() {},
  };
}
