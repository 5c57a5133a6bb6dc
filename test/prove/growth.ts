/**
 * `npm run prove -- growth [--only parseContact] [--least 5] [--stall 60]`: how the cost of every function that meets foreign text grows with
 * hostile texts. More than 8 times the CPU time for 4 times the text fails, and so does a text that takes longer than the seconds of
 * `--stall`. `--least 0.5` is quicker: texts that take half a millisecond, and 5 ms only where those grow suspiciously.
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { foreignTexts } from '../growth/foreign-texts.ts';
import { measureApart } from '../growth/measure-apart.ts';
import { type Growth, growthOf, mostGrowth } from '../growth/measure-growth.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string' },
    least: { type: 'string', default: '5' },
    stall: { type: 'string', default: '60' },
  },
});

interface Figure extends Partial<Growth> {
  reader: string;
  growth?: number;
  fault?: string;
}

const figures: Figure[] = [];
const parts = (await foreignTexts()).values();
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (const { part, list, foreignText } of parts) {
      const readers = Object.keys(foreignText?.readers ?? {}).filter((reader) =>
        `${part}/${reader}`.includes(values.only ?? ''),
      );
      const measure = { leastMs: Number(values.least) };
      await measureApart(
        list,
        readers.map((reader) => ({ reader, measure })),
        {
          stallMs: Number(values.stall) * 1000,
          report: ({ reader }, answer) => note(`src/${part}/${reader}`, answer),
        },
      );
    }
  }),
);

function note(reader: string, answer: { done: Growth[] } | { stuckAt: string } | object): void {
  const before = figures.length;
  if ('stuckAt' in answer) figures.push({ reader, fault: `stuck at ${answer.stuckAt}` });
  else if ('done' in answer) {
    const [worst, ...others] = answer.done;
    const growth = worst && growthOf(worst);
    const steep = [worst, ...others].filter((one) => one && growthOf(one) > mostGrowth).length;
    const fault = steep > 0 ? `grows too fast with ${steep} of its texts` : undefined;
    figures.push({ reader, ...worst, ...(growth && { growth }), ...(fault && { fault }) });
  }
  for (const { fault, shape, ms, fourfoldMs, size } of figures.slice(before))
    if (fault) {
      const worst = shape
        ? `: ${shape}: ${size} characters ${ms?.toFixed(1)} ms, four times as many ${fourfoldMs?.toFixed(1)} ms`
        : '';
      console.log(`${reader}: ${fault}${worst}`);
    }
}

const measured = figures.filter(({ growth }) => growth !== undefined);
measured.sort((one, other) => (other.growth ?? 0) - (one.growth ?? 0));
console.table(
  measured.slice(0, 20).map(({ reader, shape, size, ms = 0, fourfoldMs = 0, growth = 0 }) => ({
    reader: reader.replace('src/', ''),
    text: (shape ?? '').slice(0, 60),
    characters: size,
    ms: Number(ms.toFixed(1)),
    'ms of 4x': Number(fourfoldMs.toFixed(1)),
    growth: Number(growth.toFixed(1)),
  })),
);
const faults = figures.filter(({ fault }) => fault !== undefined);
console.log(
  `${figures.length} functions; ${figures.length - measured.length - faults.filter(({ growth }) => !growth).length} read their longest text in less than 5 ms; ` +
    (faults.length === 0 ? 'none grows too fast' : `${faults.length} FAILED`),
);
if (values.json) await writeFile(values.json, `${JSON.stringify({ figures }, null, 2)}\n`);
process.exitCode = faults.length === 0 && figures.length > 0 ? 0 : 1;
