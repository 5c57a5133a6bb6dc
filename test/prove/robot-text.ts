/**
 * `npm run prove -- robot-text [--pages 100000] [--robots 10000] [--seed 1]`: changed pages and robots.txt files through the
 * cleaner and the matcher: no crash, no markup in the text, bounded time; and pages that are made to take long.
 * The same as `npm run prove -- robot --only fuzz`.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { proveText } from '../robot-text/prove-text.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    pages: { type: 'string', default: '100000' },
    robots: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
  },
});
const figures = proveText({
  pages: Number(values.pages),
  robots: Number(values.robots),
  seed: Number(values.seed),
  say: (line) => console.log(line),
});
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
process.exitCode = figures.isFine ? 0 : 1;
