/** `npm run prove -- document`: everything is killed twice while 10,000 pages of a document go through five stages. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readThroughKills } from '../faults/document-kills.ts';

const { values } = parseArgs({
  options: { json: { type: 'string' }, kills: { type: 'string' }, pages: { type: 'string' } },
});
const directory = await mkdtemp(join(tmpdir(), 'pismak-document-'));
const pages = Number(values.pages ?? 10_000);
const figures = await readThroughKills({
  ...{ directory, pages, kills: Number(values.kills ?? 2) },
  say: (line) => console.log(line),
});
await rm(directory, { recursive: true, force: true });
console.table([figures]);
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
const survived = figures.done === pages && figures.failed === 0;
console.log(survived ? 'no page was lost' : 'PAGES WERE LOST');
process.exitCode = survived ? 0 : 1;
