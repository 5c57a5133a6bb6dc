import { extname } from 'node:path';
import { safeFileName } from '../../engine/files/safe-names.ts';
import { type SourceFormat, sourceFormat } from './source-format.ts';

interface ImageKind {
  mediaType: string;
  /** The first is the usual one. */
  extensions: readonly [string, ...string[]];
}

const unknownKind: ImageKind = { mediaType: 'application/octet-stream', extensions: ['.bin'] };
const kinds: Readonly<Partial<Record<SourceFormat, ImageKind>>> = {
  png: { mediaType: 'image/png', extensions: ['.png'] },
  jpeg: { mediaType: 'image/jpeg', extensions: ['.jpg', '.jpeg', '.jpe', '.jfif'] },
  tiff: { mediaType: 'image/tiff', extensions: ['.tif', '.tiff'] },
  webp: { mediaType: 'image/webp', extensions: ['.webp'] },
  jp2: { mediaType: 'image/jp2', extensions: ['.jp2', '.j2k', '.jpf', '.jpx'] },
};

/**
 * The file name and media type of a page's image, beside the texts that refer to it: the owner's name for it, or
 * `book-0012.png` for one page of many. The extension follows the format, so an image never takes the name of a text.
 */
export function describePageImage(
  page: { name: string; part: number | null },
  start: Uint8Array,
): { fileName: string; mediaType: string } {
  const format = sourceFormat(start);
  const { mediaType, extensions } = (format && kinds[format]) ?? unknownKind;
  const name = page.name.split(/[/\\]/).at(-1) ?? '';
  const extension = extname(name);
  const fits = page.part === null && extensions.includes(extension.toLowerCase());
  const stem = name.slice(0, name.length - extension.length) || 'image';
  const part = page.part === null ? '' : `-${String(page.part).padStart(4, '0')}`;
  return { fileName: safeFileName(fits ? name : `${stem}${part}${extensions[0]}`), mediaType };
}
