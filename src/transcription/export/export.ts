import { version } from '../../engine/ground/version.ts';
import {
  defineProcessor,
  type Job,
  type LoadProcessor,
  WrongWorker,
} from '../../engine/processor/processor.ts';
import { type Clock, systemClock } from '../../engine/time/clock.ts';
import { isFormat, outputFormats } from '../formats/output-formats.ts';
import { describeImage } from '../image/open-image.ts';
import { describePageImage } from '../image/page-image.ts';
import { files, preparedFile } from '../page/files.ts';
import { readOrder, readPage, readTransformation, writePage } from '../page/job-page.ts';
import type { Order } from '../page/order.ts';
import type { Page } from '../page/page.ts';
import { parseExportConfig } from './config.ts';
import { inSource, withConfidence } from './source-page.ts';

/** Writes the text of a page in the formats of its order. All coordinates are in pixels of the owner's image. */
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
      // It maps the source to the prepared image, and the page no longer refers to that.
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
        if (!isFormat(format)) throw unknownFormat(format);
        const { file, write } = outputFormats[format];
        const content = await write(page, about, { source, options: images });
        if (content !== undefined) job.files.write(file, Buffer.from(content));
      }
      job.log(`written: ${formats.join(', ')}`);
    };
  });
}
export default createExport(systemClock);

/** The server accepted the format, so it is newer than this worker; so may another worker be. */
function unknownFormat(format: string): WrongWorker {
  return new WrongWorker(`Pismak ${version} on this worker doesn't know the format ${format}; update it`);
}

/** The page in coordinates of the owner's image, with the source's own resolution, because recognisers guess one. */
async function sourcePage(job: Job, order: Order, source: Uint8Array | undefined): Promise<Page> {
  const { dpi: guessed, ...page } = withConfidence(
    inSource(await readPage(job), await readTransformation(job)),
  );
  const dpi = order.dpi ?? (source === undefined ? guessed : await statedDpi(source));
  return dpi === undefined ? page : { ...page, dpi };
}

async function statedDpi(source: Uint8Array): Promise<number | undefined> {
  const all = { bytes: Number.MAX_SAFE_INTEGER, pixels: Number.MAX_SAFE_INTEGER };
  // Ignore any failure here: formats that need the image report it.
  return describeImage(source, all).then(
    ({ dpi }) => dpi,
    () => undefined,
  );
}
