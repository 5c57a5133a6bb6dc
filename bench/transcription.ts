/**
 * Stage `recognise` beside `tesseract` by hand on the same pages, in turns; error rates with and without `prepare`, and the cost of
 * the other stages; many dummy pages with a kill in the middle.
 * Real scans beside `tesseract` by hand, with `--only real [--engine pismak]` and PISMAK_REAL_PAGES=DIRECTORY (see
 * transcription/real-pages.ts); with `--only folds` the thresholds for second readings are fitted and judged on different pages of them.
 * Single lines, Pismak's recogniser beside `tesseract --psm 7`, with `--only lines` and PISMAK_LINES=DIRECTORY (see
 * transcription/packed-lines.ts). The line finder, with `--only line-finder` and PISMAK_LINE_PAGES=DIRECTORY.
 * `npm run bench -- transcription [--only speed,quality,many,real,folds,lines,line-finder] [--pages 12] [--rounds 3] [--each 2]
 * [--kinds clean,skew] [--many 10000] [--some typed,news] [--worst worst.html] [--folds 5|kinds] [--readings DIRECTORY] [--degraded 2] [--curved]`
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { sampleKinds } from '../src/transcription/testing/samples/make-sample.ts';
import { type Comparable, more } from './comparable.ts';
import { scratchDirectory } from './engine/scratch.ts';
import { measureFolds } from './transcription/measure-folds.ts';
import { measureLineFinder } from './transcription/measure-line-finder.ts';
import { measureLines } from './transcription/measure-lines.ts';
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
    degraded: { type: 'string', default: '0' },
    curved: { type: 'boolean', default: false },
    engine: { type: 'string', default: 'auto' },
    lines: { type: 'string', default: '200' },
    half: { type: 'string' },
    // For `bench -- compare`: of `speed` only, and beside Tesseract all the same, which evens out what the machine does meanwhile.
    alone: { type: 'boolean', default: false },
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
const { worst, engine, some } = values;
const scans = () => ({ directory: directoryIn('PISMAK_REAL_PAGES'), some });
const real = parts.has('real')
  ? await measureReal({ ...scans(), worst, engine, isCurved: values.curved }, targets)
  : undefined;
const folds = parts.has('folds')
  ? await measureFolds(
      {
        ...scans(),
        readings: values.readings ?? scratchDirectory(),
        folds: values.folds,
        degraded: Number(values.degraded),
      },
      targets,
    )
  : undefined;
const lines = parts.has('lines')
  ? await measureLines(directoryIn('PISMAK_LINES'), Number(values.lines), targets)
  : undefined;
// Every other page, to tune on one half and judge on the other.
const isChosen = (index: number) => values.half === undefined || index % 2 === Number(values.half);
const lineFinder = parts.has('line-finder')
  ? await measureLineFinder(directoryIn('PISMAK_LINE_PAGES'), isChosen)
  : undefined;
const comparable: Comparable[] = speed ? [more('recognise, of tesseract by hand', speed.ratio)] : [];
printTargets(targets);
if (values.json) {
  const machine = { node: process.version, cores: availableParallelism(), at: new Date().toISOString() };
  await writeFile(
    values.json,
    `${JSON.stringify({ machine, speed, quality, many, real, folds, lines, lineFinder, targets, comparable }, null, 2)}\n`,
  );
}

function directoryIn(name: string): string {
  const directory = process.env[name];
  if (!directory) throw new Error(`name the directory of the data: ${name}=...`);
  return directory;
}
