import { buffer } from 'node:stream/consumers';
import { messageOf } from '../../engine/errors.ts';
import {
  defineProcessor,
  type Job,
  type LoadProcessor,
  PermanentFailure,
} from '../../engine/processor/processor.ts';
import { type Clock, systemClock } from '../../engine/time/clock.ts';
import type { About } from '../formats/about.ts';
import { toAlto } from '../formats/alto.ts';
import { withConfidence } from '../formats/confidence.ts';
import { toHocr } from '../formats/hocr.ts';
import { toPageXml } from '../formats/page-xml.ts';
import { type ImageOptions, pdfImage } from '../formats/pdf/pdf-image.ts';
import { searchablePdf } from '../formats/pdf/searchable-pdf.ts';
import { toTsv } from '../formats/tsv.ts';
import { describeImage } from '../image/open-image.ts';
import { describePageImage } from '../image/page-image.ts';
import { files, preparedFile, resultFiles } from '../page/files.ts';
import { readOrder, readPage, readTransformation, writePage } from '../page/job-page.ts';
import type { Format, Order } from '../page/order.ts';
import type { Page } from '../page/page.ts';
import { toText } from '../text/text.ts';
import { parseExportConfig } from './config.ts';
import { inSource } from './source-page.ts';

/** Writes the text of a page in the formats of its order. All places are in pixels of the owner's image. */
export function createExport(clock: Clock): LoadProcessor {
  return defineProcessor(async (setup) => {
    const images = parseExportConfig(setup.config);
    return async (job) => {
      const order = await readOrder(job);
      const source = job.files.names().includes(files.source)
        ? await job.files.read(files.source)
        : undefined;
      const page = await sourcePage(job, order, source);
      await writePage(job, page);
      // It led from the source to the image, where the page no longer is.
      if (job.files.names().includes(files.prepared)) job.files.remove(files.prepared);
      const { name, page: number, part = null, formats } = order;
      const image = source === undefined ? name : describePageImage({ name, part }, source).fileName;
      const prepared = images.prepared && job.files.names().includes(files.image) ? preparedFile : undefined;
      if (prepared) job.files.write(prepared, await job.files.read(files.image));
      const about = {
        name,
        image,
        number,
        created: new Date(clock.now()),
        ...(prepared !== undefined && { prepared }),
      };
      for (const format of new Set(formats)) {
        if (format === 'json') continue;
        const content =
          format === 'pdf' ? await toPdf(source, page, about, images) : writers[format](page, about);
        // Most pages have no table, and nobody wants a file that says so.
        if (format === 'tsv' && content.length === 0) continue;
        job.files.write(resultFiles[format], Buffer.from(content));
      }
      job.log(`written: ${formats.join(', ')}`);
    };
  });
}
export default createExport(systemClock);

const writers: Record<Exclude<Format, 'pdf' | 'json'>, (page: Page, about: About) => string> = {
  txt: toText,
  page: toPageXml,
  alto: toAlto,
  hocr: toHocr,
  tsv: toTsv,
};

/** The page as its owner sees it, with the resolution that the source states: recognisers guess one. */
async function sourcePage(job: Job, order: Order, source: Uint8Array | undefined): Promise<Page> {
  const { dpi: guessed, ...page } = withConfidence(
    inSource(await readPage(job), await readTransformation(job)),
  );
  const dpi = order.dpi ?? (source === undefined ? guessed : await statedDpi(source));
  return dpi === undefined ? page : { ...page, dpi };
}

async function statedDpi(source: Uint8Array): Promise<number | undefined> {
  const all = { bytes: Number.MAX_SAFE_INTEGER, pixels: Number.MAX_SAFE_INTEGER };
  // Whatever it is: the formats that need the image will say so.
  return describeImage(source, all).then(
    ({ dpi }) => dpi,
    () => undefined,
  );
}

async function toPdf(
  source: Uint8Array | undefined,
  page: Page,
  about: About,
  options: ImageOptions,
): Promise<Buffer> {
  if (source === undefined)
    throw new PermanentFailure('a searchable PDF needs the image of the page, and the request has none');
  const image = await pdfImage(source, options).catch((error) => {
    throw new PermanentFailure(`the image can't be read, so no PDF was made: ${messageOf(error)}`);
  });
  return buffer(searchablePdf([{ page, image }], { title: about.name, created: about.created }));
}
