/**
 * `npm run prove -- document [--pages 10000] [--kills 1]`: everything is killed in the middle while the pages of a document
 * go through five stages.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readThroughKills } from '../faults/document-kills.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    kills: { type: 'string', default: '1' },
    pages: { type: 'string', default: '10000' },
  },
});
const directory = await mkdtemp(join(tmpdir(), 'pismak-document-'));
const pages = Number(values.pages);
const figures = await readThroughKills({
  directory,
  pages,
  kills: Number(values.kills),
  say: (line) => console.log(line),
}).finally(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }));
const { rssMb, rssMbSinceKill: _, restartMs, ...others } = figures;
console.table([others]);
console.log(`memory of the main process in MB: ${JSON.stringify(rssMb)}; restarts in ms: ${restartMs}`);
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
const survived = figures.done === pages && figures.lost === 0 && figures.duplicates === 0;
console.log(survived ? 'no page was lost' : 'PAGES WERE LOST');
process.exitCode = survived ? 0 : 1;
