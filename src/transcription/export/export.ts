import { buffer } from 'node:stream/consumers';
import { messageOf } from '../../engine/errors.ts';
import {
  defineProcessor,
  type Job,
  type LoadProcessor,
  PermanentFailure,
} from '../../engine/processor/processor.ts';
import { type Clock, systemClock } from '../../engine/time/clock.ts';
import { files, resultFiles } from '../files.ts';
import type { About } from '../formats/about.ts';
import { toAlto } from '../formats/alto.ts';
import { toHocr } from '../formats/hocr.ts';
import { toPageXml } from '../formats/page-xml.ts';
import { type ImageOptions, pdfImage } from '../formats/pdf/pdf-image.ts';
import { searchablePdf } from '../formats/pdf/searchable-pdf.ts';
import { toText } from '../formats/text.ts';
import { readOrder, readPage, readTransformation } from '../job-page.ts';
import type { Format } from '../order.ts';
import type { Page } from '../page.ts';
import { parseExportConfig } from './config.ts';
import { inSource } from './source-page.ts';

/** Writes the text of a page in the formats of its order. */
export function createExport(clock: Clock): LoadProcessor {
  return defineProcessor(async (setup) => {
    const images = parseExportConfig(setup.config);
    return async (job) => {
      const { name, page: number, formats } = await readOrder(job);
      const page = await readPage(job);
      const sourcePage = inSource(page, await readTransformation(job));
      const about = { name, number, created: new Date(clock.now()) };
      for (const format of new Set(formats)) {
        // The JSON file is the input of this stage, so it exists already.
        if (format === 'json') continue;
        const content =
          format === 'pdf' ? await toPdf(job, page, about, images) : writers[format](sourcePage, about);
        job.files.write(resultFiles[format], Buffer.from(content));
      }
      job.log(`written: ${formats.join(', ')}`);
    };
  });
}
export default createExport(systemClock);

/** These formats refer to the owner's image, so their places are in its pixels. */
const writers: Record<Exclude<Format, 'pdf' | 'json'>, (page: Page, about: About) => string> = {
  txt: toText,
  page: toPageXml,
  alto: toAlto,
  hocr: toHocr,
};

async function toPdf(job: Job, page: Page, about: About, options: ImageOptions): Promise<Buffer> {
  const name = job.files.names().includes(files.image) ? files.image : files.source;
  if (!job.files.names().includes(name)) {
    throw new PermanentFailure('a searchable PDF needs the image of the page, and the request has none');
  }
  const image = await pdfImage(await job.files.read(name), page, options).catch((error) => {
    throw new PermanentFailure(`the image can't be read, so no PDF was made: ${messageOf(error)}`);
  });
  return buffer(searchablePdf([{ page, image }], { title: about.name, created: about.created }));
}
