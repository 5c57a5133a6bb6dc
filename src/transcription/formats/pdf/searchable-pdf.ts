import type { Page } from '../../page/page.ts';
import { languageTag } from '../languages.ts';
import { createInvisibleFont } from './invisible-font.ts';
import { readJpegHeader } from './jpeg-header.ts';
import type { PdfImage } from './pdf-image.ts';
import { type PdfAbout, pdfMetadata } from './pdf-metadata.ts';
import { createPdfObjects, type PdfObjects, pdfNumber, pdfText } from './pdf-objects.ts';
import { srgbProfile } from './srgb-profile.ts';
import { textLayer } from './text-layer.ts';
import { layDown, upright } from './upright.ts';

export interface PdfPage {
  /** In pixels of the image. */
  page: Page;
  image: PdfImage;
  /** In the outline; pages with the same label in a row have one entry. */
  label?: string;
}

/**
 * A PDF/A-2b with the images of pages and an invisible text layer over them, for searching and copying. It is streamed page by
 * page, so only one page is in memory. The same input gives the same bytes.
 */
export async function* searchablePdf(
  pages: AsyncIterable<PdfPage> | Iterable<PdfPage>,
  about: PdfAbout,
): AsyncGenerator<Buffer> {
  const objects = createPdfObjects();
  const font = createInvisibleFont();
  yield objects.header();
  // The first object is the first page's image; `page-pdf-image.ts` relies on it.
  let imageNumber = objects.reserve();
  const tree = objects.reserve();
  const fontNumber = objects.reserve();
  const kids: number[] = [];
  const entries: OutlineEntry[] = [];
  let language: string | undefined;
  for await (const { page, image, label } of pages) {
    if (kids.length > 0) imageNumber = objects.reserve();
    const [content, self] = [objects.reserve(), objects.reserve()];
    const scale = pointsPerPixel(page);
    const [width, height] = [page.width * scale, page.height * scale];
    yield objects.stream(imageNumber, `/Type /XObject /Subtype /Image ${image.entries}`, image.content);
    const text = textLayer(upright(page), scale, font);
    const drawing = `q ${imagePlace(image, width, height)} cm /Scan Do Q\nq ${layDown(page, width, height)}\n${text}Q\n`;
    yield objects.deflated(content, '', Buffer.from(drawing, 'latin1'));
    // Readers show the page the right way up; the image stays as it was scanned.
    const rotate = page.turn === undefined || page.turn === 0 ? '' : ` /Rotate ${page.turn}`;
    yield objects.dictionary(
      self,
      `/Type /Page /Parent ${tree} 0 R /MediaBox [0 0 ${pdfNumber(width)} ${pdfNumber(height)}]${rotate} /Contents ${content} 0 R /Resources << /XObject << /Scan ${imageNumber} 0 R >> /Font << /Text ${fontNumber} 0 R >> >>`,
    );
    kids.push(self);
    language ??= languageTag(page.language);
    if (label !== undefined && entries.at(-1)?.label !== label) entries.push({ label, page: self });
  }
  if (kids.length === 0) yield objects.dictionary(imageNumber, '');
  yield* font.write(objects, fontNumber);
  const references = kids.map((kid) => `${kid} 0 R`).join(' ');
  yield objects.dictionary(tree, `/Type /Pages /Count ${kids.length} /Kids [${references}]`);
  const outline = entries.length > 1 ? objects.reserve() : undefined;
  if (outline !== undefined) yield* writeOutline(objects, outline, entries);
  const { info, xmp } = pdfMetadata(about);
  const [metadata, profile, catalog, infoNumber] = [1, 2, 3, 4].map(() => objects.reserve()) as Four;
  // Not deflated, so that programs that know nothing of PDF find it.
  yield objects.stream(metadata, '/Type /Metadata /Subtype /XML', xmp);
  yield objects.deflated(profile, '/N 3', srgbProfile());
  const intent = `/Type /OutputIntent /S /GTS_PDFA1 /OutputConditionIdentifier (sRGB) /Info (sRGB) /DestOutputProfile ${profile} 0 R`;
  yield objects.dictionary(
    catalog,
    [
      `/Type /Catalog /Pages ${tree} 0 R /Metadata ${metadata} 0 R /OutputIntents [<< ${intent} >>]`,
      '/ViewerPreferences << /DisplayDocTitle true >>',
      ...(language === undefined ? [] : [`/Lang (${language})`]),
      ...(outline === undefined ? [] : [`/Outlines ${outline} 0 R`]),
    ].join(' '),
  );
  yield objects.dictionary(infoNumber, info);
  yield objects.trailer(catalog, infoNumber);
}

type Four = [number, number, number, number];

interface OutlineEntry {
  label: string;
  /** The number of the page's object. */
  page: number;
}

function* writeOutline(
  objects: PdfObjects,
  outline: number,
  entries: readonly OutlineEntry[],
): Generator<Buffer> {
  const numbers = entries.map(() => objects.reserve());
  yield objects.dictionary(
    outline,
    `/Type /Outlines /Count ${entries.length} /First ${numbers[0]} 0 R /Last ${numbers.at(-1)} 0 R`,
  );
  for (const [index, { label, page }] of entries.entries()) {
    const around = [
      ...(index === 0 ? [] : [`/Prev ${numbers[index - 1]} 0 R`]),
      ...(index === entries.length - 1 ? [] : [`/Next ${numbers[index + 1]} 0 R`]),
    ].join(' ');
    yield objects.dictionary(
      numbers[index] ?? 0,
      `/Title ${pdfText(label)} /Parent ${outline} 0 R ${around} /Dest [${page} 0 R /Fit]`,
    );
  }
}

/** Where the image goes: PDF readers don't look at the EXIF orientation of a JPEG, so it is turned here. */
function imagePlace(image: PdfImage, width: number, height: number): string {
  const { orientation = 1 } = image.entries.includes('/DCTDecode')
    ? (readJpegHeader(image.content) ?? {})
    : {};
  const [w, h] = [width, height];
  const matrices: Readonly<Record<number, readonly number[]>> = {
    2: [-w, 0, 0, h, w, 0],
    3: [-w, 0, 0, -h, w, h],
    4: [w, 0, 0, -h, 0, h],
    5: [0, -h, -w, 0, w, h],
    6: [0, -h, w, 0, 0, h],
    7: [0, h, w, 0, 0, 0],
    8: [0, h, -w, 0, w, 0],
  };
  return (matrices[orientation] ?? [w, 0, 0, h, 0, 0]).map(pdfNumber).join(' ');
}

/** The long side of A4 in inches, used if the resolution is unknown. */
const a4 = 11.69;
/** The maximum of the standard, in points. */
const longest = 14_400;

/** A point is 1/72 inch. */
function pointsPerPixel(page: Page): number {
  const side = Math.max(page.width, page.height);
  const dpi = page.dpi ?? side / a4;
  return Math.min(72 / dpi, longest / side);
}
