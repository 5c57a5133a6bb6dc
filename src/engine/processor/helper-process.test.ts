import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { systemClock } from '../time/clock.ts';
import { HelperProcess } from './helper-process.ts';
import { isPermanent } from './processor.ts';
import { Overrun } from './watch-use.ts';

const module = new URL('../testing/misbehaving-helper.ts', import.meta.url);
const helper = new HelperProcess<{ order: string; mark?: string }, number>({
  module,
  clock: systemClock,
  decodes: false,
});
after(() => helper.close());
const limits = { seconds: 20, memoryMb: 1024 };
const ask = (order: string, more: object = {}, signal?: AbortSignal) =>
  helper.ask({ order, ...more }, limits, signal);

test('a helper answers one question after another in the same process', async () => {
  assert.equal(await ask('be good'), await ask('be good'));
});

test('a helper that takes too long or too much is killed, and the next question gets another', async () => {
  for (const [order, strict, limit] of [
    ['spin', { seconds: 0.3, memoryMb: 1024 }, 'time'],
    ['wait', { seconds: 0.3, memoryMb: 1024 }, 'time'],
    ['exhaust memory', { seconds: 60, memoryMb: 300 }, 'memory'],
  ] as const) {
    const before = await ask('be good');
    await assert.rejects(helper.ask({ order }, strict), (error) => {
      assert.ok(error instanceof Overrun && isPermanent(error));
      assert.equal(error.limit, limit);
      return true;
    });
    assert.notEqual(await ask('be good'), before);
  }
});

test('a question over which a helper crashes is asked once more, and then fails for good', async (t) => {
  const mark = join(await temporaryDirectory(t), 'mark');
  assert.ok(await ask('crash once', { mark }));
  await assert.rejects(ask('crash'), (error: Error) => {
    assert.ok(isPermanent(error));
    assert.match(error.message, /was killed by SIGSEGV/);
    return true;
  });
});

test('only what is the fault of the question is permanent', async () => {
  await assert.rejects(ask('give up'), isPermanent);
  await assert.rejects(ask('fail'), (error) => !isPermanent(error));
  const missing = new HelperProcess({
    module: new URL('./missing.ts', import.meta.url),
    clock: systemClock,
    decodes: false,
  });
  await assert.rejects(missing.ask({}, limits), (error) => !isPermanent(error));
});

test('a helper that a fault may have damaged is not used again', async () => {
  const before = await ask('be good');
  await assert.rejects(ask('spoil'), isPermanent);
  assert.notEqual(await ask('be good'), before);
});

test('a question that is given up ends its helper at once', async () => {
  const stop = new AbortController();
  const before = await ask('be good');
  const asked = ask('spin', {}, stop.signal);
  stop.abort();
  await assert.rejects(asked, { name: 'AbortError' });
  assert.notEqual(await ask('be good'), before);
});
