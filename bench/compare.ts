/**
 * Whether this tree is as fast as it was at another revision: both run the same benchmark in turn, each its own, without peers,
 * and each figure of ours is compared round by round.
 * `npm run bench -- compare [--rounds 5] [--least 0.95] REV NAME [ARGUMENTS]`, for example `npm run bench -- compare HEAD~20 engine
 * --only embedded --rounds 1`. REV must be at or after the commit that introduced this command. Exits with 1 if the median ratio of
 * a figure is below `--least`.
 */

import { writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { checkOut } from './compare/check-out.ts';
import { type Round, ratiosOf } from './compare/ratios.ts';
import { runBenchmark } from './compare/run-benchmark.ts';
import { readWords, usage } from './compare/words.ts';
import { printTable } from './engine/report.ts';

const words = readWords(process.argv.slice(2));
if (!words) {
  console.error(usage);
  process.exit(2);
}
const { json, rounds, least, revision, name, parameters } = words;
const here = join(import.meta.dirname, '..');
const there = await checkOut(here, revision);
const taken: Round[] = [];
for (let round = 1; round <= rounds; round++) {
  const run = async (tree: string, label: string) => {
    console.log(`\nround ${round} of ${rounds}: ${name} of ${label}, load ${loadavg()[0]?.toFixed(1)}`);
    return await runBenchmark(tree, name, parameters);
  };
  // The two take turns going first.
  const first = round % 2 === 0 ? await run(here, 'this tree') : undefined;
  const before = await run(there.directory, there.label);
  taken.push({ before, after: first ?? (await run(here, 'this tree')) });
}
const { ratios, onlyBefore, onlyAfter } = ratiosOf(taken);
const number = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 4 });
console.log(
  `\n${name} ${parameters.join(' ')}: this tree against ${there.label}, medians of ${rounds} rounds; above 1 is better\n`,
);
printTable([
  ['', there.label, 'this tree', 'ratio', 'of each round', ''],
  ...ratios.map((each) => [
    each.name,
    number(each.before),
    number(each.after),
    each.ratio.toFixed(3),
    each.each.map((ratio) => ratio.toFixed(2)).join(' '),
    each.ratio < least ? `BELOW ${least}` : '',
  ]),
]);
for (const missing of onlyBefore) console.log(`only at ${there.label}: ${missing}`);
for (const added of onlyAfter) console.log(`only in this tree: ${added}`);
if (json) {
  const machine = { node: process.version, cores: availableParallelism(), at: new Date().toISOString() };
  await writeFile(
    json,
    `${JSON.stringify({ machine, name, parameters, revision: there.label, ratios, rounds: taken }, null, 2)}\n`,
  );
}
if (ratios.some(({ ratio }) => ratio < least)) process.exitCode = 1;
