import { readThroughKills } from '../../test/faults/document-kills.ts';
import { scratchDirectory } from '../engine/scratch.ts';
import { median } from '../engine/work.ts';
import { compare, printMarkdown, type Target } from './report.ts';

/** The program of `npm run prove -- document`, as a benchmark. */
export async function measureMany(pages: number, targets: Target[]) {
  console.log(`\n${pages} dummy pages through 5 stages, everything killed in the middle\n`);
  const directory = scratchDirectory();
  const figures = await readThroughKills({ directory, pages, kills: 1, say: (line) => console.log(line) });
  const { rssMb } = figures;
  printMarkdown([
    ['', ''],
    ['pages per second, from the submission on', figures.pagesPerSecond.toFixed(1)],
    ['MB of the main process at 10, 50, 100 %', `${rssMb.at10}, ${rssMb.at50}, ${rssMb.at100}`],
    ['MB of all processes, at most', String(figures.mostRssMbOfAll)],
    ['lost', String(figures.lost)],
    ['failed', String(figures.failed)],
    ['duplicates', String(figures.duplicates)],
  ]);
  const growth = memoryGrowth(figures.rssMbSinceKill);
  const wrong = figures.lost + figures.failed + figures.duplicates;
  targets.push(
    compare('memory, last third of the time against the one before', '1.2x or less', growth, growth <= 1.2),
    {
      name: 'dummy pages lost, failed or doubled',
      wanted: '0',
      measured: String(wrong),
      reached: wrong === 0,
    },
  );
  return figures;
}

/** The first third is left out: a process that has just started is still growing into its caches. */
function memoryGrowth(megabytes: readonly number[]): number {
  const third = Math.max(1, Math.floor(megabytes.length / 3));
  return median(megabytes.slice(-third)) / median(megabytes.slice(third, -third));
}
