import { buffer } from 'node:stream/consumers';
import { messageOf } from '../../engine/ground/errors.ts';
import { PermanentFailure } from '../../engine/processor/processor.ts';
import type { Page } from '../page/page.ts';
import type { About } from './about.ts';
import { type ImageOptions, pdfImage } from './pdf/pdf-image.ts';
import { searchablePdf } from './pdf/searchable-pdf.ts';

/** The image of a page, for formats that contain it. */
export interface ImageToEmbed {
  /** Undefined if the request has none. */
  source: Uint8Array | undefined;
  options: ImageOptions;
}

/** A page as a searchable PDF. */
export async function toPagePdf(
  page: Page,
  about: About,
  { source, options }: ImageToEmbed,
): Promise<Uint8Array> {
  if (source === undefined)
    throw new PermanentFailure('a searchable PDF needs the image of the page, and the request has none');
  const image = await pdfImage(source, options).catch((error) => {
    throw new PermanentFailure(`the image can't be read, so no PDF was made: ${messageOf(error)}`);
  });
  return buffer(searchablePdf([{ page, image }], { title: about.name, created: about.created }));
}
