/**
 * `npm run prove -- robot-text [--pages 100000] [--robots 10000] [--seed 1]`: changed pages and robots.txt files through the
 * cleaner and the matcher: no crash, no markup in the text, bounded time; and pages that are made to take long.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { cleanHtml, segment } from '../../src/robot/text/index.ts';
import { fuzzPages, fuzzRobots, hostilePages } from '../robot-text/fuzz.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    pages: { type: 'string', default: '100000' },
    robots: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
  },
});
/** A case takes about a millisecond; this is when something is wrong, even on a busy machine. */
const boundMs = 1000;
/** Twice the length may take twice the time, and some more because of the noise of a busy machine. */
const mostGrowth = 4;

const pages = fuzzPages(Number(values.pages), Number(values.seed));
const robots = fuzzRobots(Number(values.robots), Number(values.seed));
console.table({ pages, 'robots.txt': robots }, ['cases', 'bytes', 'crashes', 'markup', 'longestMs']);
for (const { first } of [pages, robots]) if (first !== undefined) console.log(first.slice(0, 2000));

const hostile = Object.entries(hostilePages).map(([kind, make]) => {
  const timeOf = (length: number) => {
    const bytes = Buffer.from(make(length));
    const before = process.threadCpuUsage();
    segment(cleanHtml(bytes, { url: 'http://a.cz/', main: true }).text, { languages: ['cs'] });
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  const best = (length: number) => Math.min(timeOf(length), timeOf(length), timeOf(length));
  const [oneMb, twoMb] = [best(1_000_000), best(2_000_000)];
  return {
    kind,
    oneMb: Math.round(oneMb),
    twoMb: Math.round(twoMb),
    growth: Number((twoMb / oneMb).toFixed(1)),
  };
});
console.table(hostile);

const isFine =
  [pages, robots].every(
    ({ crashes, markup, longestMs }) => crashes === 0 && markup === 0 && longestMs < boundMs,
  ) && hostile.every(({ growth, twoMb }) => growth < mostGrowth || twoMb < 100);
console.log(isFine ? 'no crash, no markup, bounded time' : 'NOT as it should be');
if (values.json) await writeFile(values.json, `${JSON.stringify({ pages, robots, hostile }, null, 2)}\n`);
process.exitCode = isFine ? 0 : 1;
