import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOperations, reader } from '../../testing/call-operations.ts';

const { call } = await openOperations();
await call('stage.create', { name: 'work', processor: 'nothing' });
const action = { kind: 'publish', stages: ['work', 'done'] };
const nightly = { when: { kind: 'cron', cron: '0 3 * * *' }, action };

test('a schedule is created, shown, disabled, enabled and deleted', async () => {
  const created = await call('schedule.create', { name: 'a', definition: nightly });
  assert.equal(created.owner, 'root');
  assert.equal(typeof created.nextAt, 'number');
  assert.deepEqual(await call('schedule.show', { name: 'a' }, reader), created);
  await call('schedule.disable', { name: 'a' });
  assert.equal((await call('schedule.show', { name: 'a' })).nextAt, null);
  await call('schedule.enable', { name: 'a' });
  assert.equal((await call('schedule.ls')).schedules[0].enabled, true);
  await call('schedule.delete', { name: 'a' });
  await assert.rejects(call('schedule.show', { name: 'a' }), { code: 'not-found' });
});

test('a run that was asked for is in the history, with its parameters', async () => {
  await call('schedule.create', { name: 'b', definition: nightly });
  const { run } = await call('schedule.run', { name: 'b', parameters: { pages: 10 } });
  assert.deepEqual(run.parameters, { pages: 10 });
  const { runs } = await call('schedule.history', { name: 'b' }, reader);
  assert.equal(runs[0].id, run.id);
  await assert.rejects(call('schedule.history', { name: 'missing' }), { code: 'not-found' });
});

test('history is read page by page, and the log of each run on its own', async () => {
  await call('schedule.create', { name: 'd', definition: nightly });
  const queued = [];
  for (let count = 0; count < 3; count++) queued.unshift((await call('schedule.run', { name: 'd' })).run.id);
  const ids = (page: { runs: { id: string }[] }) => page.runs.map(({ id }) => id);
  const first = await call('schedule.history', { name: 'd', limit: 2 }, reader);
  assert.deepEqual([ids(first), first.next], [queued.slice(0, 2), queued[1]]);
  await assert.rejects(call('schedule.history', { before: '2026-01-01' }, reader), /name a run by its id/);
  const second = await call('schedule.history', { name: 'd', limit: 2, before: first.next }, reader);
  assert.deepEqual([ids(second), second.next], [queued.slice(2), null]);
  assert.equal((await call('schedule.log', { name: 'd' }, reader)).run.id, queued[0]);
  const { runs } = await call('schedule.cancel', { name: 'd', run: queued[2] });
  assert.deepEqual([runs[0].status, runs[0].cancelledBy], ['cancelled', 'root']);
  const { run } = await call('schedule.log', { name: 'd', run: queued[2] }, reader);
  assert.equal(run.log, 'cancelled by root before it began\n');
  await assert.rejects(call('schedule.log', { name: 'b', run: queued[2] }), { code: 'not-found' });
});

test('create refuses a name that exists, set one that does not', async () => {
  await assert.rejects(call('schedule.set', { name: 'e', definition: nightly }), { code: 'not-found' });
  await call('schedule.create', { name: 'e', definition: nightly });
  await assert.rejects(call('schedule.create', { name: 'e', definition: nightly }), {
    code: 'already-exists',
  });
  assert.equal((await call('schedule.set', { name: 'e', definition: nightly, base: 1 })).version, 2);
  await assert.rejects(call('schedule.set', { name: 'e', definition: nightly, base: 1 }), {
    code: 'conflict',
  });
});

test('a definition that could not be kept, or is too long, is refused', async () => {
  const create = (definition: object) => call('schedule.create', { name: 'c', definition });
  await assert.rejects(create({ when: { kind: 'cron', cron: '99 * * * *' }, action }), {
    code: 'invalid-input',
  });
  const files = [{ name: 'a', content: 'x'.repeat(100_000) }];
  await assert.rejects(create({ ...nightly, action: { ...action, files } }), {
    code: 'invalid-input',
    message: /too long/,
  });
});
