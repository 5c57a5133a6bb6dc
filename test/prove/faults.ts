/** `npm run prove -- faults`: everything at scale breaks once while 2,000 requests run through three stages. */
import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { faultTable } from '../faults/fault-table.ts';
import { type FaultName, faultNames } from '../faults/faults.ts';
import { survivedFaults, surviveFaults } from '../faults/survive-faults.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    requests: { type: 'string' },
    seed: { type: 'string' },
    /** Only these, separated by commas. */
    faults: { type: 'string' },
    /** Milliseconds between two requests. */
    every: { type: 'string' },
  },
});
const seed = Number(values.seed ?? randomInt(1_000_000));
const isFault = (name: string): name is FaultName => (faultNames as string[]).includes(name);
const wanted = values.faults?.split(',') ?? faultNames;
const unknown = wanted.filter((name) => !isFault(name));
if (unknown.length > 0) throw new Error(`There is no fault ${unknown}; there are ${faultNames.join(', ')}`);

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort(new Error('stopped')));
console.log(`seed ${seed}`);
const figures = await surviveFaults({
  faults: wanted.filter(isFault),
  requests: Number(values.requests ?? 2_000),
  everyMs: Number(values.every ?? 100),
  seed,
  repair: true,
  signal: stop.signal,
  say: (line) => console.log(line),
});
console.log(`\n${faultTable(figures)}\n`);
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
const survived = survivedFaults(figures);
console.log(
  survived ? 'nothing was lost' : `NOT survived: ${JSON.stringify({ ...figures, faults: undefined })}`,
);
process.exitCode = survived ? 0 : 1;
