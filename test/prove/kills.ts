/** `npm run prove -- kills`: npm start is killed 20 times while 5,000 requests or more run through three stages. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { surviveKills } from '../faults/kills.ts';

const { values } = parseArgs({
  options: { json: { type: 'string' }, kills: { type: 'string' }, requests: { type: 'string' } },
});
const directory = await mkdtemp(join(tmpdir(), 'pismak-kills-'));
const figures = await surviveKills({
  directory,
  kills: Number(values.kills ?? 20),
  requests: Number(values.requests ?? 5_000),
  say: (line) => console.log(line),
});
await rm(directory, { recursive: true, force: true });
console.table([figures]);
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
const survived = figures.lost === 0 && figures.failed === 0 && figures.collected === figures.requests;
console.log(survived ? 'nothing was lost' : 'SOMETHING WAS LOST');
process.exitCode = survived ? 0 : 1;
