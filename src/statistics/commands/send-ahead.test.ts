import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendAhead } from './send-ahead.ts';

test('a chunk that fails while the next one is still awaited fails the whole', async () => {
  const failed = Promise.withResolvers<void>();
  async function* slowly() {
    yield 1;
    await failed.promise;
    // By now the failure is known.
    yield 2;
  }
  const sent: number[] = [];
  const send = async (chunk: number) => {
    sent.push(chunk);
    if (chunk !== 1) return;
    setImmediate(failed.resolve);
    throw new Error('refused');
  };
  await assert.rejects(sendAhead(slowly(), 2, send), /refused/);
  assert.deepEqual(sent, [1]);
});

test('chunks are sent two at once, never more', async () => {
  async function* chunks() {
    yield* [1, 2, 3, 4, 5];
  }
  let [under, most, sent] = [0, 0, 0];
  await sendAhead(chunks(), 2, async () => {
    most = Math.max(most, ++under);
    await new Promise(setImmediate);
    under--;
    sent++;
  });
  assert.deepEqual([sent, most], [5, 2]);
});
