/**
 * Stage `recognise` beside `tesseract` by hand on the same pages, in turns; error rates with and without `prepare`, and the cost of
 * the other stages; many dummy pages with a kill in the middle.
 * Real scans beside `tesseract` by hand, with `--only real` and PISMAK_REAL_PAGES=DIRECTORY (see transcription/real-pages.ts); with
 * `--only folds` the thresholds for second readings are fitted and judged on different pages of them.
 * `npm run bench -- transcription [--only speed,quality,many,real,folds] [--pages 12] [--rounds 3] [--each 2] [--kinds clean,skew]
 * [--many 10000] [--some typed,news] [--worst worst.html] [--folds 5|kinds] [--readings DIRECTORY]`
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { sampleKinds } from '../src/transcription/samples/make-sample.ts';
import { scratchDirectory } from './engine/scratch.ts';
import { measureFolds } from './transcription/measure-folds.ts';
import { measureMany } from './transcription/measure-many.ts';
import { measureQuality } from './transcription/measure-quality.ts';
import { measureReal } from './transcription/measure-real.ts';
import { measureSpeed } from './transcription/measure-speed.ts';
import { printTargets, type Target } from './transcription/report.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string', default: 'speed,quality,many' },
    pages: { type: 'string', default: '12' },
    rounds: { type: 'string', default: '3' },
    each: { type: 'string', default: '2' },
    kinds: { type: 'string', default: sampleKinds.join(',') },
    many: { type: 'string', default: '10000' },
    some: { type: 'string', default: '' },
    worst: { type: 'string' },
    folds: { type: 'string', default: '5' },
    readings: { type: 'string' },
  },
});
const [pages, rounds, each] = [Number(values.pages), Number(values.rounds), Number(values.each)];
const kinds = sampleKinds.filter((kind) => values.kinds.split(',').includes(kind));
const processes = Math.min(2, availableParallelism());
const parts = new Set(values.only.split(','));
const targets: Target[] = [];

const speed = parts.has('speed') ? await measureSpeed({ pages, rounds, processes }, targets) : undefined;
const quality = parts.has('quality') ? await measureQuality({ kinds, each, processes }, targets) : undefined;
const many = parts.has('many') ? await measureMany(Number(values.many), targets) : undefined;
const scans = () => {
  const directory = process.env.PISMAK_REAL_PAGES;
  if (!directory) throw new Error('name the directory of the scans: PISMAK_REAL_PAGES=...');
  return { directory, some: values.some };
};
const real = parts.has('real') ? await measureReal({ ...scans(), worst: values.worst }, targets) : undefined;
const folds = parts.has('folds')
  ? await measureFolds(
      { ...scans(), readings: values.readings ?? scratchDirectory(), folds: values.folds },
      targets,
    )
  : undefined;
printTargets(targets);
if (values.json) {
  const machine = { node: process.version, cores: availableParallelism(), at: new Date().toISOString() };
  await writeFile(
    values.json,
    `${JSON.stringify({ machine, speed, quality, many, real, folds, targets }, null, 2)}\n`,
  );
}
