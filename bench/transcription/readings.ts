import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isSystemError } from '../../src/engine/files/system-error.ts';
import { limitsOf } from '../../src/transcription/image/image-limits.ts';
import { readGrey } from '../../src/transcription/image/open-image.ts';
import { page } from '../../src/transcription/page/page.ts';
import { changesShades, type Step, turnAndScale } from '../../src/transcription/page/transformation.ts';
import { parsePrepareConfig } from '../../src/transcription/prepare/prepare-config.ts';
import { prepareImage } from '../../src/transcription/prepare/prepare-image.ts';
import { viewNames } from '../../src/transcription/prepare/views.ts';
import { confidenceOf, wordsOf } from '../../src/transcription/recognise/keep-surer.ts';
import { type PageToRead, readUpright, readView } from '../../src/transcription/recognise/read-carefully.ts';
import { readableImage } from '../../src/transcription/recognise/readable-image.ts';
import type { Recogniser } from '../../src/transcription/recognise/recogniser.ts';
import { cpuSeconds } from './cpu-seconds.ts';
import { realByHand } from './read-by-hand.ts';
import type { RealPage } from './real-pages.ts';

const cpu = z.number();
/** By the second recogniser: `find` is what finding the lines costs, whether any is read or not. */
const second = z.object({ page, find: cpu, read: cpu });

/** Every reading of a page that our stages may take, whether they would or not, and what each costs. */
const readings = z.object({
  hand: z.object({ text: z.string(), cpu }),
  isPrepared: z.boolean(),
  first: z.object({ page, cpu, second: second.optional() }),
  views: z.partialRecord(
    z.enum(viewNames),
    z.object({ page, steps: z.array(z.custom<Step>()), cpu, second: second.optional() }),
  ),
});
export type Readings = z.infer<typeof readings>;

/** The recogniser that reads first, and the one that reads what the first is unsure of. */
export interface Recognisers {
  first: Recogniser;
  second?: Recogniser | undefined;
}

/** From here on no threshold that is tried asks for a second reading. */
const sure = 0.88;

/** Reads a page in all ways, or takes the readings from the directory where an earlier run has left them. */
export async function readingsOf(real: RealPage, recognisers: Recognisers, kept: string): Promise<Readings> {
  const path = join(kept, `${real.name}.json`);
  try {
    return readings.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
  const found = await takeReadings(real, recognisers);
  await mkdir(kept, { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify(found));
  await rename(`${path}.new`, path);
  return found;
}

async function takeReadings(real: RealPage, recognisers: Recognisers): Promise<Readings> {
  const hand = realByHand(real);
  const first = await timed(async () => {
    const given = await prepared(real, recognisers.first);
    const { page: read, turned, fold } = await readUpright(given);
    return { page: read, given: { ...given, ...turned, fold } };
  });
  const { given, page: read } = first.value;
  const isPrepared = changesShades(given.transformation?.steps);
  const readAgain = (image: Uint8Array) =>
    recognisers.second && readSecond(recognisers.second, image, given.options);
  const views: Readings['views'] = {};
  const isSure = confidenceOf(wordsOf(read)) >= sure;
  for (const name of isSure ? [] : viewNames) {
    if (name === 'plain' && !isPrepared) continue;
    const { value, cpu: spent } = await timed(() => readView(given, name));
    if (!value) continue;
    const { png, steps } = value;
    views[name] = {
      page: value.page,
      steps: [...steps],
      cpu: spent,
      second: png && (await readAgain(png)),
    };
  }
  const again = await readAgain(given.image);
  return { hand, isPrepared, first: { page: read, cpu: first.cpu, second: again }, views };
}

async function readSecond(recogniser: Recogniser, image: Uint8Array, options: PageToRead['options']) {
  const nowhere = { left: 0, top: 0, width: 1, height: 1 };
  const layout = { width: 1, height: 1, regions: [{ kind: 'text' as const, box: nowhere, paragraphs: [] }] };
  const { cpu: find } = await timed(() => recogniser.recognise(image, { ...options, layout }));
  const { value, cpu: all } = await timed(() => recogniser.recognise(image, options));
  return { page: value, find, read: Math.max(0, all - find) };
}

async function timed<Value>(work: () => Promise<Value>): Promise<{ value: Value; cpu: number }> {
  const before = cpuSeconds();
  const value = await work();
  return { value, cpu: cpuSeconds() - before };
}

async function prepared(real: RealPage, recogniser: Recogniser): Promise<PageToRead> {
  const config = parsePrepareConfig('');
  const limits = limitsOf(config);
  const source = await readFile(real.path);
  const grey = await readGrey(source, limits);
  const unchanged = { ...turnAndScale(grey, 0, 0, 1), steps: [] };
  const made = await prepareImage(grey, config);
  const { signal } = new AbortController();
  return {
    recogniser,
    source,
    limits,
    transformation: made?.transformation ?? unchanged,
    image: made?.png ?? (await readableImage(source, recogniser.formats, limits, { isChecked: true })),
    options: { language: real.language, signal, log: () => {} },
    spreads: true,
  };
}
