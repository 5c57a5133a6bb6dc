import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import type { Trace } from '../../engine/trace/trace.ts';
import { fakeClient, runCommand } from '../testing/run-command.ts';

const trace: Trace = {
  from: 0,
  to: 60_000,
  workers: [{ id: 'w1', spans: [{ from: 0, to: 60_000, stage: 'ocr', kind: 'serving' }] }],
  queues: [{ stage: 'ocr', points: [{ at: 0, length: 4 }] }],
};
const answers = { 'trace.show': trace };

test('pismak trace shows workers and queues on the terminal', async () => {
  const { code, stdout } = await runCommand(['trace'], { client: fakeClient(answers) });
  assert.equal(code, 0);
  assert.match(stdout, /^w1 +│A+│$/m);
  assert.match(stdout, /^A ocr │█+│ 4$/m);
});

test('pismak trace --svg draws a file', async (t) => {
  const file = join(await temporaryDirectory(t), 'trace.svg');
  const { code, stdout } = await runCommand(['trace', '--svg', file], { client: fakeClient(answers) });
  assert.equal(code, 0);
  assert.match(stdout, /1 worker and 1 queue drawn to/);
  assert.match(await readFile(file, 'utf8'), /^<svg .*<\/svg>\n$/s);
});

test('pismak trace --json prints the trace and nothing else', async () => {
  const { stdout } = await runCommand(['trace', '--json'], { client: fakeClient(answers) });
  assert.deepEqual(JSON.parse(stdout), trace);
});

test('its time is given as moments or ages, and left to the server unless given', async () => {
  const asked = async (...words: string[]) => {
    const client = fakeClient(answers);
    const { code, stderr } = await runCommand(['trace', ...words], { client });
    assert.equal(code, 0, stderr);
    return client.calls[0]?.input as { from?: number; to: number };
  };
  const hour = 3_600_000;
  assert.equal((await asked()).from, undefined);
  const ages = await asked('--from', '1h30m', '--to', '30m');
  assert.equal(ages.to - (ages.from ?? 0), hour);
  assert.deepEqual(await asked('--from', '2026-03-01T08:00:00Z', '--to', '2026-03-01T10:00:00+01:00'), {
    from: Date.UTC(2026, 2, 1, 8),
    to: Date.UTC(2026, 2, 1, 9),
    limit: 2000,
  });
  const day = await asked('--from', '2026-03-01', '--to', '2026-03-01 12:00');
  assert.deepEqual([day.from, day.to], [new Date(2026, 2, 1), new Date(2026, 2, 1, 12)].map(Number));
});

test('what is no time, or the wrong way round, is refused with what to write', async () => {
  for (const words of [
    ['--from', 'yesterday'],
    ['--from', '5'],
    ['--to', '2026-13-45T00:00'],
  ]) {
    const { code, stderr } = await runCommand(['trace', ...words], { client: fakeClient(answers) });
    assert.notEqual(code, 0);
    assert.match(stderr, /such as/);
  }
  const { code, stderr } = await runCommand(['trace', '--from', '1m', '--to', '2m'], {
    client: fakeClient(answers),
  });
  assert.notEqual(code, 0);
  assert.match(stderr, /--from must be before --to/);
});
