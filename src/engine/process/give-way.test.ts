import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { giveWay } from './give-way.ts';

test('a process in a session of its own gives way, and so does its session', async (t) => {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  t.after(() => child.kill());
  const { pid } = child;
  assert.ok(pid !== undefined);
  giveWay(pid);
  assert.equal(getPriority(pid), 10);
  const group = `/proc/${pid}/autogroup`;
  if (existsSync(group))
    await eventually('its session has it too', async () => /nice 10$/m.test(await readFile(group, 'utf8')));
});

test('a process that has ended is no error', async () => {
  const child = spawn('true');
  await new Promise((resolve) => child.once('exit', resolve));
  giveWay(child.pid);
  giveWay(undefined);
});
