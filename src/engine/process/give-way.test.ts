import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
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

test('a thread gives way to the main thread', {
  skip: process.platform !== 'linux' && 'only Linux has priorities of threads',
}, async () => {
  const source = `import('${new URL('./give-way.ts', import.meta.url)}').then(({ giveWayAsThread }) => {
    giveWayAsThread();
    const { readlinkSync, readFileSync } = process.getBuiltinModule('fs');
    const stat = readFileSync('/proc/' + readlinkSync('/proc/thread-self') + '/stat', 'utf8');
    require('node:worker_threads').parentPort.postMessage(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  })`;
  const before = getPriority();
  const thread = new Worker(source, { eval: true });
  const [priority] = await once(thread, 'message');
  assert.equal(Number(priority), 10);
  assert.equal(getPriority(), before);
  await thread.terminate();
});
