import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../src/engine/testing/temporary-directory.ts';
import { processorTimesVariable, readProcessorTimes } from './processor-time.ts';

test('the processor time of a test file counts what its child processes use', async (t) => {
  const directory = await temporaryDirectory(t);
  const times = join(directory, 'times.tsv');
  const busy = 'const end = process.cpuUsage().user + 400_000; while (process.cpuUsage().user < end);';
  const file = join(directory, 'busy.test.ts');
  await writeFile(
    file,
    `import { spawnSync } from 'node:child_process';\nspawnSync(process.execPath, ['-e', ${JSON.stringify(busy)}]);\n`,
  );
  await writeFile(times, '');
  const preload = join(import.meta.dirname, 'processor-time.ts');
  const { status } = spawnSync(process.execPath, ['--import', preload, file], {
    env: { ...process.env, [processorTimesVariable]: times },
  });
  assert.equal(status, 0);
  const seconds = readProcessorTimes(times).get(file) ?? 0;
  assert.ok(seconds >= 0.4 && seconds < 60, `${seconds} s`);
});
