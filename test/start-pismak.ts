import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from '../src/engine/testing/temporary-directory.ts';
import { pismak } from './command-line.ts';
import { commands, endsWithUs, RunningPismak } from './running-pismak.ts';

/** `pismak up` in a directory of its own until the test ends, and the command line beside it. */
export async function startPismak(t: TestContext, settings: Readonly<Record<string, string | number>> = {}) {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const fast = { 'watchdog.periodMs': 100, 'watchdog.reconfigurationMs': 100 };
  const up = new RunningPismak(data, { ...fast, ...settings }, [...endsWithUs, ...commands.up]);
  t.after(() => up.kill());
  await up.start();
  return {
    up,
    data,
    /** For files of the test. */
    directory,
    /** Runs a command that must succeed, and gives back what it printed. */
    async run(...parameters: string[]): Promise<string> {
      const { code, out, err } = await pismak(data, parameters);
      assert.equal(code, 0, `pismak ${parameters.join(' ')}: ${err}${out}`);
      return out;
    },
  };
}
