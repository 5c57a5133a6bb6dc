/**
 * Writes sample scans of Czech pages with their true text:
 *
 *     npm run samples -- --out DIR [--count PAGES_PER_KIND] [--seed NUMBER] [--kinds clean,skew] [--dpi 200] [--share 1]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeSample, sampleKinds } from '../src/transcription/testing/samples/make-sample.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'samples' },
    count: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    kinds: { type: 'string', default: sampleKinds.join(',') },
    dpi: { type: 'string', default: '200' },
    share: { type: 'string', default: '1' },
  },
});
const wanted = values.kinds.split(',');
const unknown = wanted.filter((kind) => !sampleKinds.some((known) => known === kind));
if (unknown.length > 0)
  throw new Error(`unknown kind ${unknown.join(', ')}; known: ${sampleKinds.join(', ')}`);

mkdirSync(join(values.out, 'scans'), { recursive: true });
mkdirSync(join(values.out, 'truth'), { recursive: true });
for (const kind of sampleKinds.filter((one) => wanted.includes(one))) {
  for (let number = 0; number < Number(values.count); number++) {
    const seed = Number(values.seed) + number;
    const sample = await makeSample(kind, seed, { dpi: Number(values.dpi), share: Number(values.share) });
    const name = `${kind}-${seed}`;
    writeFileSync(join(values.out, 'scans', `${name}.${sample.extension}`), sample.image);
    writeFileSync(join(values.out, 'truth', `${name}.txt`), sample.truth);
    console.log(`${name}.${sample.extension}  ${Math.round(sample.image.length / 1024)} KB`);
  }
}
