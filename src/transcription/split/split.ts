import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepWorkDirectories, withWorkDirectory } from '../../engine/files/work-directory.ts';
import { defineProcessor, type Job, PermanentFailure } from '../../engine/processor/processor.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { files } from '../page/files.ts';
import { readOrder } from '../page/job-page.ts';
import { noProgress, type SplitProgress } from '../page/order.ts';
import type { View } from '../views/views.ts';
import { divideSpread } from './divide-spread.ts';
import { viewsOf } from './page-views.ts';
import { type SplitPage, type SplitPages, splitFiles } from './pages.ts';
import { pagesOf } from './pages-of.ts';
import { PageReader } from './reader/page-reader.ts';
import { parseSplitConfig, type SplitConfig } from './split-config.ts';

/** Pages stored concurrently while the next is opened: storing mostly waits for the disk. */
const storedAtOnce = 4;

/** Splits a source into one file per page, listed in `pages.json` (`pages.ts`). */
export default defineProcessor(async (setup) => {
  const config = parseSplitConfig(setup.config);
  await sweepWorkDirectories();
  const reader = new PageReader({ seconds: config.PAGE_SECONDS, memoryMb: config.PAGE_MEGABYTES });
  const split = (job: Job) => withWorkDirectory((directory) => splitSource(job, config, reader, directory));
  return Object.assign(split, { close: async () => reader.close() });
});

/** Sources may be larger than memory, so the source and its pages stay on disk until they are stored. */
async function splitSource(
  job: Job,
  config: SplitConfig,
  reader: PageReader,
  directory: string,
): Promise<void> {
  const { name, textLayer, from = noProgress, isInParts } = await wishes(job, config);
  const source = join(directory, 'source');
  await job.files.save(files.source, source);
  const pages: SplitPage[] = [];
  const storing: Promise<void>[] = [];
  const startedAt = systemClock.now();
  const usedBefore = reader.cpuSeconds;
  let overruns = from.overruns;
  let opened = from.opened ?? from.pages;
  let next: SplitProgress | undefined;
  const found = pagesOf(name, source, {
    config: { ...config, TEXT_LAYER: textLayer },
    reader,
    directory,
    signal: job.signal,
    skip: opened,
  });
  const progress = () => ({
    pages: from.pages + pages.length,
    ...(config.SPREADS && { opened }),
    seconds: from.seconds + reader.cpuSeconds - usedBefore,
    overruns,
  });
  for await (const whole of found) {
    job.signal.throwIfAborted();
    opened++;
    for (const { name: file, part, ...page } of await divideSpread(whole, config)) {
      const place = { name: file, ...(part === undefined ? {} : { part }) };
      if ('error' in page) {
        if (page.isOverrun) overruns++;
        fail(job, pages, place, page.error);
        continue;
      }
      const { image, text, ...facts } = page;
      const number = from.pages + pages.length + 1;
      const { paths, isOverrun } = await viewsOf(image, { job, reader, config });
      if (isOverrun) overruns++;
      const { thumbnail, view } = paths;
      const images = {
        file: splitFiles.image(number),
        ...(thumbnail !== undefined && { thumbnail: splitFiles.view(number, 'thumbnail') }),
        ...(view !== undefined && { view: splitFiles.view(number, 'view') }),
      };
      if (storing.length === storedAtOnce) await storing.shift();
      storing.push(store(job, images, { ...paths, file: image }));
      // Failures surface when it is awaited.
      storing.at(-1)?.catch(() => {});
      if (text) await job.files.write(splitFiles.text(number), Buffer.from(JSON.stringify(text)));
      pages.push({
        ...place,
        ...facts,
        ...images,
        ...(text ? { text: splitFiles.text(number) } : {}),
      });
    }
    if (progress().pages > config.MAX_PAGES)
      throw new PermanentFailure(`the source has more than ${config.MAX_PAGES} pages; split it`);
    const reason = whyNotOn(progress(), config);
    if (reason !== undefined) {
      const { name: file, part } = whole;
      const rest = { name: file, ...(part === undefined ? {} : { part: part + 1 }) };
      fail(job, pages, rest, `the rest of the source was not opened, because ${reason}`);
      break;
    }
    if (isInParts && systemClock.now() - startedAt > config.PART_SECONDS * 1000) {
      next = progress();
      break;
    }
  }
  await Promise.all(storing);
  await reader.release();
  finish(job, { pages, after: from.pages, ...(next ? { next } : {}) });
}

function finish(job: Job, result: SplitPages & { after: number }): void {
  const { pages, after, next } = result;
  const good = pages.filter((page) => page.file !== undefined).length;
  const [first] = pages;
  if (good === 0 && after === 0 && !next)
    throw new PermanentFailure(first ? `${placeOf(first)}: ${first.error}` : 'the source has no pages');
  void job.files.write(splitFiles.list, Buffer.from(JSON.stringify(result)));
  job.log(`${good} pages${good < pages.length ? `, ${pages.length - good} could not be opened` : ''}`);
  if (next) job.log(`the rest follows after page ${next.pages}, so that other sources get their turn`);
}

function fail(job: Job, pages: SplitPage[], place: Pick<SplitPage, 'name' | 'part'>, error: string): void {
  pages.push({ ...place, error });
  job.log(`${placeOf(place)}: ${error}`);
}

/** Stores a page's images and then removes their files. */
async function store(job: Job, names: PageImages, paths: PageImages): Promise<void> {
  const kinds = (['file', 'thumbnail', 'view'] as const).flatMap((kind) => {
    const [name, path] = [names[kind], paths[kind]];
    return name === undefined || path === undefined ? [] : [{ name, path }];
  });
  await Promise.all(kinds.map(({ name, path }) => job.files.writeFrom(name, path)));
  for (const { path } of kinds) await rm(path, { force: true });
}

/** The image of a page and its views. */
type PageImages = Readonly<Partial<Record<'file' | View, string>>>;

async function wishes(job: Job, config: SplitConfig) {
  if (!job.files.names().includes(files.order))
    return { name: files.source, textLayer: config.TEXT_LAYER, isInParts: false };
  const { name, textLayer = config.TEXT_LAYER, split } = await readOrder(job);
  return { name, textLayer, from: split, isInParts: split !== undefined };
}

function placeOf({ name, part }: Pick<SplitPage, 'name' | 'part'>): string {
  return part === undefined ? name : `${name}, page ${part}`;
}

/** A source with more such pages is an attack. */
const mostOverruns = 10;

/**
 * Why the rest of a source is not opened; undefined if it is. Single pages may take long, but the average at most a sixth of a page's
 * limit.
 */
function whyNotOn(
  { pages, seconds, overruns }: SplitProgress,
  { PAGE_SECONDS }: SplitConfig,
): string | undefined {
  if (overruns >= mostOverruns) return `${overruns} pages took too much time or memory`;
  if (seconds > 10 * PAGE_SECONDS + (pages * PAGE_SECONDS) / 6)
    return `${pages} pages took ${Math.round(seconds)} s of processor time`;
  return undefined;
}
