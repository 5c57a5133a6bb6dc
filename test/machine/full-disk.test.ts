import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readHolder } from '../../src/engine/data-directory/data-directory.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import { closeInReverse } from '../../src/server/testing/close-in-reverse.ts';
import { commands, endsWithUs, RunningPismak } from '../running-pismak.ts';
import { fillDisk, freeBytes, mountSmallDisk } from './small-disk.ts';

const megabyte = 2 ** 20;

async function startOnSmallDisk(test: TestContext) {
  const t = closeInReverse(test);
  const disk = await mountSmallDisk(t, 128);
  const data = join(disk, 'data');
  const fast = { 'watchdog.periodMs': 100, 'worker.count': 1, 'alerts.diskFreeMb': 0 };
  const up = new RunningPismak(data, fast, [...endsWithUs, ...commands.up]);
  t.after(() => up.kill());
  await up.start();
  const token = (await readHolder(data))?.token;
  const send = async (method: string, path: string, body?: Uint8Array<ArrayBuffer> | ReadableStream) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' };
    const init = { method, headers, ...(body && { body, duplex: 'half' }) } as RequestInit;
    const answer = await fetch(`${up.url}/api/v1/${path}`, init);
    return { status: answer.status, text: await answer.text() };
  };
  const health = async () => JSON.parse((await send('GET', 'health')).text);
  return { up, disk, send, health };
}

function isRefusal({ status, text }: { status: number; text: string }): void {
  assert.equal(status, 507, text);
  assert.match(text, /"code":"disk-full"/);
  assert.match(text, /Delete what is no longer needed/);
  assert.doesNotMatch(text, /\/tmp|pid|queues\.db/);
}

/** Random content in chunks of a megabyte, without a length in advance. */
function stream(megabytes: number): ReadableStream {
  let left = megabytes;
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(crypto.getRandomValues(new Uint8Array(65_536)));
      else controller.close();
    },
  });
}

test('a full disk refuses writers and names itself; reading and deleting go on; it recovers by itself', {
  timeout: 180_000,
}, async (t) => {
  const { up, disk, send, health } = await startOnSmallDisk(t);
  const submit = () =>
    up.call<{ uuid: string }>('request.submit', {
      pipeline: 'demo',
      files: [{ name: 'a.txt', content: Buffer.from('a').toString('base64') }],
    });
  const reserve = 12.8 * megabyte;

  // An upload whose length would touch the reserve is refused before its first byte is stored.
  const stored = await send('POST', 'blobs', new Uint8Array(megabyte).fill(1));
  assert.equal(stored.status, 200, stored.text);
  const before = freeBytes(disk);
  const removeSome = fillDisk(disk, 40 * megabyte);
  isRefusal(await send('POST', 'blobs', new Uint8Array(35 * megabyte)));
  assert.ok(freeBytes(disk) > 39 * megabyte);
  // One of unknown length is stopped on its way, and leaves nothing behind.
  isRefusal(await send('POST', 'blobs', stream(16 * 40)));
  await eventually('the broken upload is removed', () => freeBytes(disk) > 37 * megabyte);
  removeSome();
  assert.ok(before - freeBytes(disk) < 4 * megabyte);
  await eventually('the room is noticed', () =>
    submit().then(
      () => true,
      () => false,
    ),
  );

  // The reserve is touched: writers are refused, health says so, and an alert stands.
  const removeMore = fillDisk(disk, reserve - megabyte);
  await eventually('writers are refused', () =>
    submit().then(
      () => false,
      (error: unknown) => /disk-full/.test(String(error)),
    ),
  );
  isRefusal(await send('POST', 'blobs', new Uint8Array(10)));
  const low = await eventually('health is degraded', async () => {
    const found = await health();
    return found.status === 'degraded' && found;
  });
  assert.deepEqual(low.parts, {
    broker: 'degraded',
    coordination: 'ok',
    database: 'degraded',
    blobs: 'degraded',
  });
  const alerts = await eventually('the alert', async () => {
    const { text } = await send('GET', 'alert/ls');
    return text.includes('disk.full') && text;
  });
  assert.match(alerts, /uploads and new requests are refused/);
  removeMore();
  await eventually('health recovers', async () => (await health()).status === 'ok');

  // Another program takes the last byte: what is there can still be read and deleted.
  const mine = await up.call<{ upload: string }>('upload.create', {});
  const removeAll = fillDisk(disk, 0);
  assert.equal(freeBytes(disk), 0);
  await eventually('health is degraded', async () => (await health()).status === 'degraded');
  assert.equal((await send('GET', 'status/show')).status, 200);
  await up.call('upload.delete', { upload: mine.upload });
  const { text: left } = await send('GET', 'upload/ls');
  assert.ok(!left.includes(mine.upload), left);
  removeAll();
  await eventually('health recovers', async () => (await health()).status === 'ok');
  await submit();
  await eventually('the alert ends', async () => !(await send('GET', 'alert/ls')).text.includes('disk.full'));
});

test('work accepted before the disk filled up waits, and is done when there is room again', {
  timeout: 180_000,
}, async (t) => {
  const { up, disk, send } = await startOnSmallDisk(t);
  const results = async () => {
    const { queues } = JSON.parse((await send('GET', 'status/show')).text);
    return queues.find(({ name }: { name: string }) => name === 'demo.out')?.ready.normal ?? 0;
  };
  const content = Buffer.from('a').toString('base64');
  const count = 30;
  for (let index = 0; index < count; index++)
    await up.call('request.submit', { pipeline: 'demo', files: [{ name: 'a.txt', content }] });
  const removeAll = fillDisk(disk, 0);
  await eventually('health is degraded', async () => {
    return (await send('GET', 'health')).text.includes('degraded');
  });
  removeAll();
  await eventually('all are done', async () => (await results()) === count);
  const { text } = await send('GET', 'queue/ls');
  assert.doesNotMatch(text, /"dead":[1-9]/);
});
