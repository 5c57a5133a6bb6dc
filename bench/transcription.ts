/**
 * Stage `recognise` beside `tesseract` by hand on the same pages, in turns; error rates with and without `prepare`, and the cost of
 * the other stages; many dummy pages with a kill in the middle.
 * `npm run bench -- transcription [--only speed,quality,many] [--pages 12] [--rounds 3] [--each 2] [--kinds clean,skew]
 * [--many 10000]`
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { sampleKinds } from '../src/transcription/samples/make-sample.ts';
import { measureMany } from './transcription/measure-many.ts';
import { measureQuality } from './transcription/measure-quality.ts';
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
printTargets(targets);
if (values.json) {
  const machine = { node: process.version, cores: availableParallelism(), at: new Date().toISOString() };
  await writeFile(values.json, `${JSON.stringify({ machine, speed, quality, many, targets }, null, 2)}\n`);
}
