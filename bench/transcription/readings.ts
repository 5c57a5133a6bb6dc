import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isSystemError } from '../../src/engine/files/system-error.ts';
import { limitsOf } from '../../src/transcription/image/image-limits.ts';
import { readGrey } from '../../src/transcription/image/open-image.ts';
import { page } from '../../src/transcription/page.ts';
import { parsePrepareConfig } from '../../src/transcription/prepare/prepare-config.ts';
import { prepareImage } from '../../src/transcription/prepare/prepare-image.ts';
import { changesShades, step, turnAndScale } from '../../src/transcription/prepare/transformation.ts';
import { viewNames } from '../../src/transcription/prepare/views.ts';
import { type PageToRead, readUpright, readView } from '../../src/transcription/recognise/read-carefully.ts';
import { readableImage } from '../../src/transcription/recognise/readable-image.ts';
import type { Recogniser } from '../../src/transcription/recognise/recogniser.ts';
import { cpuSeconds } from './cpu-seconds.ts';
import { realByHand } from './read-by-hand.ts';
import type { RealPage } from './real-pages.ts';

const cpu = z.number();

/** Every reading of a page that our stages may take, whether they would or not, and what each costs. */
const readings = z.object({
  hand: z.object({ text: z.string(), cpu }),
  isPrepared: z.boolean(),
  first: z.object({ page, cpu }),
  views: z.partialRecord(z.enum(viewNames), z.object({ page, steps: z.array(step), cpu })),
});
export type Readings = z.infer<typeof readings>;

/** Reads a page in all ways, or takes the readings from the directory where an earlier run has left them. */
export async function readingsOf(real: RealPage, recogniser: Recogniser, kept: string): Promise<Readings> {
  const path = join(kept, `${real.name}.json`);
  try {
    return readings.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
  const found = await takeReadings(real, recogniser);
  await mkdir(kept, { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify(found));
  await rename(`${path}.new`, path);
  return found;
}

async function takeReadings(real: RealPage, recogniser: Recogniser): Promise<Readings> {
  const hand = realByHand(real);
  const timed = async <Value>(work: () => Promise<Value>) => {
    const before = cpuSeconds();
    const value = await work();
    return { value, cpu: cpuSeconds() - before };
  };
  const first = await timed(async () => {
    const given = await prepared(real, recogniser);
    const { page: read, turned, fold } = await readUpright(given);
    return { page: read, given: { ...given, ...turned, fold } };
  });
  const { given, page: read } = first.value;
  const isPrepared = changesShades(given.transformation?.steps);
  const views: Readings['views'] = {};
  for (const name of viewNames) {
    if (name === 'plain' && !isPrepared) continue;
    const { value, cpu: spent } = await timed(() => readView(given, name));
    if (value) views[name] = { page: value.page, steps: [...value.steps], cpu: spent };
  }
  return { hand, isPrepared, first: { page: read, cpu: first.cpu }, views };
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
    ...{ recogniser, source, limits, transformation: made?.transformation ?? unchanged },
    image: made?.png ?? (await readableImage(source, recogniser.formats, limits, { isChecked: true })),
    options: { language: real.language, signal, log: () => {} },
    spreads: true,
  };
}
