import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { harvestersAfter, type Keyboard, watchHarvesterKeys } from './harvester-keys.ts';

test('keys add and remove harvesters, and Ctrl-C still interrupts', () => {
  const modes: boolean[] = [];
  const stream = new PassThrough();
  const keyboard = Object.assign(stream, { setRawMode: (raw: boolean) => modes.push(raw) });
  const heard: string[] = [];
  const keys = watchHarvesterKeys(keyboard as unknown as Keyboard, {
    pressed: (key) => heard.push(key),
    interrupt: () => heard.push('interrupt'),
  });
  stream.emit('data', Buffer.from('+x-'));
  stream.emit('data', Buffer.from('a\u0003'));
  keys.close();
  stream.emit('data', Buffer.from('+'));
  assert.deepEqual(heard, ['more', 'fewer', 'auto', 'interrupt']);
  assert.deepEqual(modes, [true, false]);
  assert.deepEqual(
    [harvestersAfter('more', 1), harvestersAfter('fewer', 1), harvestersAfter('auto', 3)],
    [2, 1, 0],
  );
});
