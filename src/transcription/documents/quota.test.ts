import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../engine/errors.ts';
import { type Clock, systemClock } from '../../engine/time/clock.ts';
import { admin, anna, bert, runHouse } from '../testing/running-transcription.ts';

/** In the middle of a month, so the month doesn't end during the test. */
const start = systemClock.now();
const clock: Clock = {
  ...systemClock,
  now: () => Date.UTC(2026, 1, 15) + systemClock.now() - start,
};

test('the usage of a key is counted per month, and only its owner sees it', async (t) => {
  const { call, submit, reaches } = await runHouse(t, { clock });
  await reaches(await submit({ one: 'first\fsecond' }), 'done');
  const month = '2026-02';
  const mine = { subject: 'key:anna-1', owner: 'anna', month, pages: 2, bytes: 11, stored: 12 };
  assert.deepEqual(await call('usage.ls'), { usage: [mine] });
  assert.deepEqual(await call('usage.ls', {}, bert), { usage: [] });
  assert.deepEqual(await call('usage.ls', { month }, admin), { usage: [mine] });
  const shown = await call('usage.show');
  assert.deepEqual([shown.pages, shown.waiting, shown.pagesPerMonth], [2, 0, null]);
});

test('a key that has used up its month is refused, others are not', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  await call('usage.limit', { subject: 'key:anna-1', pagesPerMonth: 2 }, admin);
  await reaches(await submit({ one: 'first\fsecond' }), 'done');
  await assert.rejects(submit({ two: 'third' }), (error) => hasCode(error, 'quota-exceeded'));
  await reaches(await submit({ two: 'third' }, {}, bert), 'done');
  await call('usage.limit', { subject: 'key:anna-1', pagesPerMonth: 3 }, admin);
  // The number of pages in a source is known only once it is split.
  const document = await submit({ three: 'third\ffourth' });
  await reaches(document, 'failed');
  const [source] = (await call('document.sources', { document })).sources;
  assert.match(source.error, /used 2 of 3 pages this month/);
});

test('the limit of a user applies to all keys of the user together, so a new key is no way around it', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  const otherKey = { ...anna, credential: 'key:anna-2' };
  await call('usage.limit', { subject: 'user:anna', pagesPerMonth: 2 }, admin);
  await reaches(await submit({ one: 'first\fsecond' }), 'done');
  await assert.rejects(submit({ two: 'third' }, {}, otherKey), (error) => hasCode(error, 'quota-exceeded'));
  await reaches(await submit({ two: 'third' }, {}, bert), 'done');
  await call('usage.limit', { subject: 'user:anna', pagesPerMonth: 3 }, admin);
  await reaches(await submit({ two: 'third' }, {}, otherKey), 'done');
  await call('usage.limit', { subject: 'user:anna', pagesWaiting: 1 }, admin);
  await assert.rejects(submit({ three: 'a', four: 'b' }, {}, otherKey), (error) =>
    hasCode(error, 'quota-exceeded'),
  );
});

test('the number of waiting pages of a key is limited', async (t) => {
  const settings = { transcription: { pagesWaiting: 2 } };
  const { submit, call } = await runHouse(t, { settings, workers: 0 });
  await submit({ one: 'one', two: 'two' });
  await assert.rejects(submit({ three: 'three' }), (error) => hasCode(error, 'quota-exceeded'));
  assert.equal((await call('usage.show', {}, anna)).waiting, 2);
  await submit({ three: 'three' }, {}, bert);
});
