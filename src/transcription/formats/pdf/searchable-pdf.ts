import type { Page } from '../../page.ts';
import { writer } from '../about.ts';
import { createInvisibleFont } from './invisible-font.ts';
import { pointsPerPixel } from './page-size.ts';
import type { PdfImage } from './pdf-image.ts';
import { createPdfObjects, pdfNumber, pdfText, pdfTime } from './pdf-objects.ts';
import { textLayer } from './text-layer.ts';

export interface PdfPage {
  page: Page;
  image: PdfImage;
}

/**
 * A PDF with the images of pages and an invisible text layer over them, for searching and copying. It is streamed page by
 * page, so only one page is in memory. The same input gives the same bytes.
 */
export async function* searchablePdf(
  pages: AsyncIterable<PdfPage> | Iterable<PdfPage>,
  about: { title: string; created: Date },
): AsyncGenerator<Buffer> {
  const objects = createPdfObjects();
  const font = createInvisibleFont();
  yield objects.header();
  // The first object is the first page's image; `page-pdf-image.ts` relies on it.
  let imageNumber = objects.reserve();
  const tree = objects.reserve();
  const fontNumber = objects.reserve();
  const kids: number[] = [];
  for await (const { page, image } of pages) {
    if (kids.length > 0) imageNumber = objects.reserve();
    const [content, self] = [objects.reserve(), objects.reserve()];
    const scale = pointsPerPixel(page);
    const [width, height] = [pdfNumber(page.width * scale), pdfNumber(page.height * scale)];
    yield objects.stream(imageNumber, `/Type /XObject /Subtype /Image ${image.entries}`, image.content);
    const drawing = `q ${width} 0 0 ${height} 0 0 cm /Scan Do Q\n${textLayer(page, scale, font)}`;
    yield objects.deflated(content, '', Buffer.from(drawing, 'latin1'));
    yield objects.dictionary(
      self,
      `/Type /Page /Parent ${tree} 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${content} 0 R /Resources << /XObject << /Scan ${imageNumber} 0 R >> /Font << /Text ${fontNumber} 0 R >> >>`,
    );
    kids.push(self);
  }
  if (kids.length === 0) yield objects.dictionary(imageNumber, '');
  yield* font.write(objects, fontNumber);
  const references = kids.map((kid) => `${kid} 0 R`).join(' ');
  yield objects.dictionary(tree, `/Type /Pages /Count ${kids.length} /Kids [${references}]`);
  const [catalog, info] = [objects.reserve(), objects.reserve()];
  yield objects.dictionary(catalog, `/Type /Catalog /Pages ${tree} 0 R`);
  const producer = pdfText(`${writer.name} ${writer.version}`);
  const time = pdfTime(about.created);
  yield objects.dictionary(
    info,
    `/Title ${pdfText(about.title)} /Producer ${producer} /CreationDate ${time} /ModDate ${time}`,
  );
  yield objects.trailer(catalog, info);
}
