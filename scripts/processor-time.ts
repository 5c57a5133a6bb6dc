/**
 * How much processor time each test file uses, with the processes that it starts: on a crowded machine the only time
 * that says what a test costs. `npm test` loads this file in front of each test file.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Names the file that test processes append a line to when they end. Not PISMAK_: that would be a setting of the program. */
export const processorTimesVariable = 'TEST_PROCESSOR_TIMES';

const [, file = ''] = process.argv;
const into = process.env[processorTimesVariable];
// A test file's threads and forks load this too.
if (into && isMainThread && file.endsWith('.test.ts'))
  process.on('exit', () => appendFileSync(into, `${processorSeconds()}\t${file}\n`));

/** Seconds used by this process and by those of its children that have ended, with theirs. */
export function processorSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  // User and system time of this process, then of its children, in hundredths of a second.
  return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]) / 100, 0);
}

/** Seconds by the path of the test file. */
export function readProcessorTimes(from: string): Map<string, number> {
  const times = new Map<string, number>();
  for (const line of readFileSync(from, 'utf8').split('\n')) {
    const [seconds, path] = line.split('\t');
    if (path) times.set(path, (times.get(path) ?? 0) + Number(seconds));
  }
  return times;
}
