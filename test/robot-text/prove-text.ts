import { cleanHtml, segment } from '../../src/robot/text/index.ts';
import { type FuzzFigures, fuzzPages, fuzzRobots, hostilePages } from './fuzz.ts';

/** A case takes about a millisecond; this is when something is wrong, even on a busy machine. */
const boundMs = 1000;
/** Twice the length may take twice the time, and some more because of the noise of a busy machine. */
const mostGrowth = 4;

export interface TextFigures {
  pages: FuzzFigures;
  robots: FuzzFigures;
  hostile: { kind: string; twoMbMs: number; fourMbMs: number; growth: number }[];
  isFine: boolean;
}

/** Changed pages and robots.txt files, and pages that are made to take long: no crash, no markup in the text, bounded time. */
export function proveText(options: {
  pages: number;
  robots: number;
  seed: number;
  say(line: string): void;
}): TextFigures {
  const { seed, say } = options;
  const pages = fuzzPages(options.pages, seed, { say });
  const robots = fuzzRobots(options.robots, seed);
  console.table({ pages, 'robots.txt': robots }, ['cases', 'bytes', 'crashes', 'markup', 'longestMs']);
  for (const { first } of [pages, robots]) if (first !== undefined) say(first.slice(0, 2000));
  const hostile = Object.entries(hostilePages).map(([kind, make]) => measureHostile(kind, make));
  console.table(hostile);
  const isFine =
    [pages, robots].every(
      ({ crashes, markup, longestMs }) => crashes === 0 && markup === 0 && longestMs < boundMs,
    ) && hostile.every(({ growth, fourMbMs }) => growth < mostGrowth || fourMbMs < 100);
  say(isFine ? 'no crash, no markup, bounded time' : 'NOT as it should be');
  return { pages, robots, hostile, isFine };
}

function measureHostile(kind: string, make: (length: number) => string): TextFigures['hostile'][number] {
  const timeOf = (length: number) => {
    const bytes = Buffer.from(make(length));
    const before = process.threadCpuUsage();
    segment(cleanHtml(bytes, { url: 'http://a.cz/', main: true }).text, { languages: ['cs'] });
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  const best = (length: number) => Math.min(timeOf(length), timeOf(length), timeOf(length));
  // Node keeps texts above a megabyte elsewhere, where they are slower: both lengths lie above it.
  const [short, long] = [best(2_000_000), best(4_000_000)];
  const growth = Number((long / Math.max(1, short)).toFixed(1));
  return { kind, twoMbMs: Math.round(short), fourMbMs: Math.round(long), growth };
}
