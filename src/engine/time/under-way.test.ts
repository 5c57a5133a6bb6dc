import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnderWay } from './under-way.ts';

test('waiting for work under way ends when all of it has ended, successfully or not', async () => {
  const underWay = new UnderWay();
  const [well, badly] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const working = underWay.add(well.promise);
  const failing = assert.rejects(underWay.add(badly.promise), /no luck/);
  let over = false;
  const ended = underWay.ended().then(() => {
    over = true;
  });
  well.resolve('done');
  assert.equal(await working, 'done');
  assert.equal(over, false);
  badly.reject(new Error('no luck'));
  await failing;
  await ended;
  await underWay.ended();
});
