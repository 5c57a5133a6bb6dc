import { relative, resolve } from 'node:path';
import type { EventData } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import type { TestTimes } from './test-times.ts';

export interface TestReport {
  /** Whether every test passed; a skipped test counts as a failure. */
  passed: boolean;
  /** How long each file took, in milliseconds, by its path from here. */
  times: TestTimes;
}

/**
 * Shows a run of tests: a dot for each pass, each failure in full with the output of its file, the slowest
 * files of a long run, and Node's own counts at the end. `processorTimes` is asked once all files have ended.
 */
export async function reportTests(
  events: AsyncIterable<TestEvent>,
  write: (text: string) => void,
  processorTimes: () => ReadonlyMap<string, number> = () => new Map(),
): Promise<TestReport> {
  const printed = new Map<string, string>();
  const failed: EventData.TestFail[] = [];
  /** Files that ran: a failure names the file that its test is written in, which may be a contract that others run. */
  const broken = new Set<string>();
  const skipped: string[] = [];
  const counts: string[] = [];
  const times: Record<string, number> = {};
  let dots = 0;
  let passed = false;
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') {
      // Node names the file here as it was told to run it, and in failures by its whole path.
      const file = resolve(data.file ?? '');
      printed.set(file, ((printed.get(file) ?? '') + data.message).slice(-20_000));
    } else if (type === 'test:complete' && isFile(data)) {
      times[relative('.', data.name)] = data.details.duration_ms;
      if (!data.details.passed) broken.add(resolve(data.name));
    } else if (type === 'test:complete' && data.details.type !== 'suite') {
      // Node reports passes and failures in the order of the files: all would wait for one that runs for minutes.
      const sign = data.details.passed ? '.' : 'X';
      write(++dots % 100 === 0 ? `${sign}\n` : sign);
    } else if (type === 'test:pass') {
      if ((data.skip ?? data.todo) !== undefined)
        skipped.push(`\n✖ ${data.name}: skipped; a test runs, or it goes\n`);
    } else if (type === 'test:fail') {
      if (!isOnlyFailedInside(data)) failed.push(data);
    } else if (type === 'test:diagnostic' && data.file === undefined) {
      counts.push(`ℹ ${data.message}\n`);
    } else if (type === 'test:summary' && data.file === undefined) {
      passed = data.success && data.counts.skipped + data.counts.todo + data.counts.cancelled === 0;
    }
  }
  write('\n');
  for (const text of [...failed.map(describe), ...skipped]) write(text);
  const files = broken.size > 0 ? [...broken] : [...new Set(failed.map(({ file }) => resolve(file ?? '')))];
  for (const file of files) {
    const text = printed.get(file);
    if (text) write(`\nprinted by ${relative('.', file)}:\n${text.trimEnd()}\n`);
  }
  write(slowest(times, processorTimes()));
  write(`\n${counts.join('')}`);
  return { passed, times };
}

/** Node runs each file as a test with the name of the file. */
function isFile({ name, file, nesting }: EventData.TestComplete): boolean {
  return nesting === 0 && file !== undefined && resolve(name) === resolve(file);
}

const mostListed = 25;

/** Empty if there are so few files that all of them would be listed. */
function slowest(times: TestTimes, processorTimes: ReadonlyMap<string, number>): string {
  const files = Object.entries(times).sort(([, a], [, b]) => b - a);
  if (files.length <= mostListed) return '';
  const seconds = (value: number | undefined) => (value === undefined ? '?' : value.toFixed(1)).padStart(7);
  const lines = files
    .slice(0, mostListed)
    .map(
      ([file, ms]) => `${seconds(ms / 1000)} s ${seconds(processorTimes.get(resolve(file)))} s  ${file}\n`,
    );
  return `\nslowest files, and their processor time:\n${lines.join('')}`;
}

/** A suite that failed only because a test inside it failed adds nothing new. */
function isOnlyFailedInside(failure: EventData.TestFail): boolean {
  return 'failureType' in failure.details.error && failure.details.error.failureType === 'subtestsFailed';
}

function describe(failure: EventData.TestFail): string {
  const { file = '', line, column } = failure;
  const place = file === '' ? '' : ` (${relative('.', file)}:${line}:${column})`;
  return `\n✖ ${failure.name}${place}\n${explain(failure.details.error).replace(/^/gm, '  ')}\n`;
}

function explain(error: Error & { cause?: unknown }): string {
  const cause = error.cause ?? error;
  // A file that ended without an error: all we know is how its process ended.
  if (typeof cause === 'string') return 'exitCode' in error ? `${cause}, exit code ${error.exitCode}` : cause;
  return inspect(cause, { depth: 8 })
    .split('\n')
    .filter((text) => !/^ +at .*\(?node:(internal|async_hooks)/.test(text))
    .join('\n');
}
