import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClient, runCommand } from '../../cli/testing/run-command.ts';

test('an administrator sees the usage of every key and limits a key', async () => {
  const row = { subject: 'key:k1', owner: 'anna', month: '2026-01', pages: 12, bytes: 3400, stored: 5600 };
  const client = fakeClient({ 'usage.ls': { usage: [row] } });
  const { stdout } = await runCommand(['usage', 'ls', '--month', '2026-01'], { client });
  assert.match(stdout, /2026-01 +key:k1 +anna +12 +3400 +5600/);
  const limited = await runCommand(['usage', 'limit', 'key:k1', '--per-month', '100', '--storage', '7'], {
    client,
  });
  assert.equal(limited.stdout, 'key:k1: 100 pages per month, unlimited waiting pages, 7 MB of storage\n');
  assert.deepEqual(client.calls, [
    { name: 'usage.ls', input: { month: '2026-01' } },
    {
      name: 'usage.limit',
      input: { subject: 'key:k1', pagesPerMonth: 100, storageMb: 7 },
    },
  ]);
});
