import { join } from 'node:path';
import { sweepWorkDirectories, withWorkDirectory } from '../../engine/files/work-directory.ts';
import { defineProcessor, type Job, PermanentFailure } from '../../engine/processor/processor.ts';
import { files } from '../files.ts';
import { readOrder } from '../job-page.ts';
import { type SplitPage, type SplitPages, splitFiles } from './pages.ts';
import { pagesOf } from './pages-of.ts';
import { parseSplitConfig, type SplitConfig } from './split-config.ts';

/** Pages stored at once while the next is opened. Storing mostly waits for the disk. */
const storedAtOnce = 4;

/** Splits a source into one file per page, listed in `pages.json` (`pages.ts`). */
export default defineProcessor(async (setup) => {
  const config = parseSplitConfig(setup.config);
  await sweepWorkDirectories();
  return (job) => withWorkDirectory((directory) => splitSource(job, config, directory));
});

/** A source may be larger than memory, so it stays on disk and only a few pages are held at a time. */
async function splitSource(job: Job, config: SplitConfig, directory: string): Promise<void> {
  const { name, textLayer } = await wishes(job, config);
  const source = join(directory, 'source');
  await job.files.save(files.source, source);
  const pages: SplitPage[] = [];
  const storing: Promise<void>[] = [];
  for await (const { name: file, part, ...found } of pagesOf(name, source, {
    ...config,
    TEXT_LAYER: textLayer,
  })) {
    job.signal.throwIfAborted();
    const page = { name: file, ...(part === undefined ? {} : { part }) };
    if ('error' in found) {
      pages.push({ ...page, error: found.error });
      job.log(`${place(page)}: ${found.error}`);
      continue;
    }
    const { image, text, ...facts } = found;
    const number = pages.length + 1;
    if (storing.length === storedAtOnce) await storing.shift();
    storing.push(job.files.write(splitFiles.image(number), image));
    if (text) await job.files.write(splitFiles.text(number), Buffer.from(JSON.stringify(text)));
    pages.push({
      ...page,
      ...facts,
      file: splitFiles.image(number),
      ...(text ? { text: splitFiles.text(number) } : {}),
    });
    if (pages.length > config.MAX_PAGES)
      throw new PermanentFailure(`the source has more than ${config.MAX_PAGES} pages; split it`);
  }
  const good = pages.filter((page) => page.file !== undefined).length;
  const [first] = pages;
  if (good === 0)
    throw new PermanentFailure(first ? `${place(first)}: ${first.error}` : 'the source has no pages');
  await job.files.write(splitFiles.list, Buffer.from(JSON.stringify({ pages } satisfies SplitPages)));
  job.log(`${good} pages${good < pages.length ? `, ${pages.length - good} could not be opened` : ''}`);
}

async function wishes(job: Job, config: SplitConfig): Promise<{ name: string; textLayer: boolean }> {
  if (!job.files.names().includes(files.order)) return { name: files.source, textLayer: config.TEXT_LAYER };
  const { name, textLayer = config.TEXT_LAYER } = await readOrder(job);
  return { name, textLayer };
}

function place({ name, part }: SplitPage): string {
  return part === undefined ? name : `${name}, page ${part}`;
}
