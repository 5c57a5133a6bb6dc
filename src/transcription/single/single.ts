import { join } from 'node:path';
import { sweepWorkDirectories, withWorkDirectory } from '../../engine/files/work-directory.ts';
import { defineProcessor, type Job, PermanentFailure } from '../../engine/processor/processor.ts';
import { files } from '../files.ts';
import { sourceFormat } from '../image/source-format.ts';
import type { Order } from '../order.ts';
import { type FoundPage, pagesOf } from '../split/pages-of.ts';
import { parseSingleConfig, type SingleConfig } from './single-config.ts';

/**
 * Makes a page of a request that brings just an image, as PERO's programs send it: the other stages want a `source` and an
 * order. The image may have any name. What another program left beside it stays.
 */
export default defineProcessor(async (setup) => {
  const config = parseSingleConfig(setup.config);
  await sweepWorkDirectories();
  return async (job) => {
    const name = await findImage(job);
    const { image, dpi, ...page } = await withWorkDirectory((directory) =>
      openOnly(job, name, config, directory),
    );
    await job.files.write(files.source, image);
    if (name !== files.source) job.files.remove(name);
    if (job.files.names().includes(files.order)) return;
    const { language, formats } = config;
    const order: Order = { document: job.uuid, page: 1, name, language, formats };
    await job.files.write(files.order, Buffer.from(JSON.stringify(order)));
    job.log(`${name}: ${page.width} x ${page.height} pixels${dpi === undefined ? '' : `, ${dpi} dpi`}`);
  };
});

/** The file named `source`, or else the first that is an image by its content. */
async function findImage(job: Job): Promise<string> {
  const names = job.files.names();
  if (names.includes(files.source)) return files.source;
  for (const name of names) {
    if (job.files.size(name) > 0 && sourceFormat(await job.files.read(name)) !== undefined) return name;
  }
  const list = names.slice(0, 10).join(', ') || 'no files';
  throw new PermanentFailure(`the request brings no image; it has ${list}`);
}

async function openOnly(
  job: Job,
  name: string,
  config: SingleConfig,
  directory: string,
): Promise<Extract<FoundPage, { image: Uint8Array }>> {
  const path = join(directory, 'source');
  await job.files.save(name, path);
  const pages: FoundPage[] = [];
  for await (const page of pagesOf(name, path, config)) {
    if (pages.push(page) > 1)
      throw new PermanentFailure(`${name} has several pages; send it as a document (pismak document submit)`);
  }
  const [page] = pages;
  if (!page) throw new PermanentFailure(`${name} has no pages`);
  if ('error' in page) throw new PermanentFailure(`${name}: ${page.error}`);
  return page;
}
