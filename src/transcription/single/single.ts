import { join } from 'node:path';
import { sweepWorkDirectories, withWorkDirectory } from '../../engine/files/work-directory.ts';
import { defineProcessor, type Job, PermanentFailure } from '../../engine/processor/processor.ts';
import { sourceFormat } from '../image/source-format.ts';
import { files } from '../page/files.ts';
import type { Order } from '../page/order.ts';
import { type FoundPage, pagesOf } from '../split/pages-of.ts';
import { PageReader } from '../split/reader/page-reader.ts';
import { parseSingleConfig } from './single-config.ts';

/**
 * Turns a request with just an image, as PERO's programs send it, into a page with `source` and order, which other stages need.
 * The image may have any name. Other files of the request stay.
 */
export default defineProcessor(async (setup) => {
  const config = parseSingleConfig(setup.config);
  await sweepWorkDirectories();
  const reader = new PageReader({ seconds: config.PAGE_SECONDS, memoryMb: config.PAGE_MEGABYTES });

  async function makePage(job: Job, directory: string): Promise<void> {
    const name = await findImage(job);
    const path = join(directory, 'source');
    await job.files.save(name, path);
    const opening = { config, reader, directory, signal: job.signal, skip: 0 };
    const { image, width, height, dpi } = await onlyPage(name, pagesOf(name, path, opening));
    await reader.release();
    await job.files.writeFrom(files.source, image);
    if (name !== files.source) job.files.remove(name);
    job.log(`${name}: ${width} x ${height} pixels${dpi === undefined ? '' : `, ${dpi} dpi`}`);
    if (job.files.names().includes(files.order)) return;
    const { language, formats } = config;
    const order: Order = { document: job.uuid, page: 1, name, language, formats };
    await job.files.write(files.order, Buffer.from(JSON.stringify(order)));
  }

  const single = (job: Job) => withWorkDirectory((directory) => makePage(job, directory));
  return Object.assign(single, { close: async () => reader.close() });
});

/** The file named `source`, or else the first file with the content of an image. */
async function findImage(job: Job): Promise<string> {
  const names = job.files.names();
  if (names.includes(files.source)) return files.source;
  for (const name of names) {
    if (job.files.size(name) > 0 && sourceFormat(await job.files.read(name)) !== undefined) return name;
  }
  const list = names.slice(0, 10).join(', ') || 'no files';
  throw new PermanentFailure(`the request brings no image; it has ${list}`);
}

async function onlyPage(
  name: string,
  pages: AsyncIterable<FoundPage>,
): Promise<Extract<FoundPage, { image: string }>> {
  let only: FoundPage | undefined;
  for await (const page of pages) {
    if (only)
      throw new PermanentFailure(`${name} has several pages; send it as a document (pismak document submit)`);
    only = page;
  }
  if (!only) throw new PermanentFailure(`${name} has no pages`);
  if ('error' in only) throw new PermanentFailure(`${name}: ${only.error}`);
  return only;
}
