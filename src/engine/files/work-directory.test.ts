import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { sweepWorkDirectories, withWorkDirectory } from './work-directory.ts';

test('only we can read a work directory, and it is removed afterwards, even if the work fails', async () => {
  let used = '';
  const failing = withWorkDirectory(async (directory) => {
    used = directory;
    assert.equal(statSync(directory).mode & 0o777, 0o700);
    throw new Error('the work failed');
  });
  await assert.rejects(failing, /the work failed/);
  assert.ok(!existsSync(used));
});

test('directories of killed processes are swept, those of live ones are not', async (t) => {
  const module = new URL('./work-directory.ts', import.meta.url).href;
  const program = `import { writeSync } from 'node:fs';
    import { withWorkDirectory } from ${JSON.stringify(module)};
    await withWorkDirectory(async (directory) => {
      writeSync(1, directory);
      process.kill(process.pid, 'SIGKILL');
    });`;
  const killed = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  const left = killed.stdout;
  t.after(() => left && rmSync(left, { recursive: true, force: true }));
  assert.equal(killed.signal, 'SIGKILL');
  assert.ok(existsSync(left), `nothing was left in ${left}`);
  await withWorkDirectory(async (ours) => {
    await sweepWorkDirectories();
    assert.ok(existsSync(ours));
  });
  assert.ok(!existsSync(left));
});
