import { median } from '../engine/work.ts';
import { manyPages } from './many-pages.ts';
import { compare, printMarkdown, type Target } from './report.ts';

export async function measureMany(pages: number, targets: Target[]) {
  console.log(`\n${pages} dummy pages through 5 stages, everything killed in the middle\n`);
  const figures = await manyPages(pages, (text) => console.log(text));
  const { beforeKill, afterKill } = figures.megabytes;
  printMarkdown([
    ['', ''],
    ['pages per second, from the first submission on', figures.perSecond.toFixed(0)],
    ['MB before the kill, over time', beforeKill.join(' ')],
    ['MB after the kill, over time', afterKill.join(' ')],
    ['lost', String(figures.lost)],
    ['failed', String(figures.failed)],
    ['duplicates, suppressed by whoever collects', String(figures.duplicates)],
  ]);
  const growth = memoryGrowth(afterKill);
  const lost = figures.lost + figures.failed;
  targets.push(
    compare('memory, last third of the time against the one before', '1.2x or less', growth, growth <= 1.2),
    { name: 'dummy pages lost or failed', wanted: '0', measured: String(lost), reached: lost === 0 },
  );
  return figures;
}

/** The first third is left out: a process that has just started is still growing into its caches. */
function memoryGrowth(megabytes: readonly number[]): number {
  const third = Math.max(1, Math.floor(megabytes.length / 3));
  return median(megabytes.slice(-third)) / median(megabytes.slice(third, -third));
}
