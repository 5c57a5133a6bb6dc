/** `npm run prove poison`: 50 poison messages among 500 good ones. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { survived, survivePoison } from '../faults/poison.ts';

const { values } = parseArgs({ options: { json: { type: 'string' } } });
const directory = await mkdtemp(join(tmpdir(), 'pismak-poison-'));
const figures = await survivePoison({ directory, good: 500, poison: 50 });
await rm(directory, { recursive: true, force: true });
const { kinds, ...totals } = figures;
console.table([totals]);
console.table(kinds);
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
console.log(
  survived(figures) ? 'all good ones finished, all poison is in its place' : 'NOT as the outcome table says',
);
process.exitCode = survived(figures) ? 0 : 1;
