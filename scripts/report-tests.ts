import { relative } from 'node:path';
import type { EventData } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/**
 * Shows a run of tests: a dot for each that passed, what failed in full with whatever its file had printed, and Node's
 * own counts at the end. Resolves to whether all is well, which a skipped test is not: it runs, or it goes.
 */
export async function reportTests(
  events: AsyncIterable<TestEvent>,
  write: (text: string) => void,
): Promise<boolean> {
  const printed = new Map<string, string>();
  const failed: EventData.TestFail[] = [];
  const skipped: string[] = [];
  const counts: string[] = [];
  let dots = 0;
  let passed = false;
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') {
      const file = data.file ?? '';
      printed.set(file, ((printed.get(file) ?? '') + data.message).slice(-20_000));
    } else if (type === 'test:pass' && data.details.type !== 'suite') {
      write(++dots % 100 === 0 ? '.\n' : '.');
      if ((data.skip ?? data.todo) !== undefined)
        skipped.push(`\n✖ ${data.name}: skipped; a test runs, or it goes\n`);
    } else if (type === 'test:fail') {
      write(++dots % 100 === 0 ? 'X\n' : 'X');
      if (!isOnlyFailedInside(data)) failed.push(data);
    } else if (type === 'test:diagnostic' && data.file === undefined) {
      counts.push(`ℹ ${data.message}\n`);
    } else if (type === 'test:summary' && data.file === undefined) {
      passed = data.success && data.counts.skipped + data.counts.todo + data.counts.cancelled === 0;
    }
  }
  write('\n');
  for (const text of [...failed.map(describe), ...skipped]) write(text);
  for (const file of new Set(failed.map((failure) => failure.file ?? ''))) {
    const text = printed.get(file);
    if (text) write(`\nprinted by ${relative('.', file)}:\n${text.trimEnd()}\n`);
  }
  write(`\n${counts.join('')}`);
  return passed;
}

/** A suite whose only fault is that a test inside it failed says nothing new. */
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
  // A file that broke off without saying why: how its process ended is all there is.
  if (typeof cause === 'string') return 'exitCode' in error ? `${cause}, exit code ${error.exitCode}` : cause;
  return inspect(cause, { depth: 8 })
    .split('\n')
    .filter((text) => !/^ +at .*\(?node:(internal|async_hooks)/.test(text))
    .join('\n');
}
