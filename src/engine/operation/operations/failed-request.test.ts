import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { forgetFailures } from '../../request/failed-requests.ts';
import { admin, alice, mallory, openOperations } from '../../testing/call-operations.ts';
import { eventually } from '../../testing/eventually.ts';

const { engine, call } = await openOperations();
engine.processors.register({
  name: 'tearing',
  summary: 'Fails, unless the stage is configured to work',
  inline:
    async ({ config }) =>
    async (job) => {
      job.log(`looked at ${job.files.names().join(', ')}`);
      if (config === '') throw new Error('the page is torn');
    },
});
const retry = { attempts: 1 };
await call('stage.create', { name: 'first', processor: 'tearing', mode: 'shared', config: 'works' });
await call('stage.create', { name: 'second', processor: 'tearing', mode: 'shared', retry });
await call('pipeline.create', { name: 'tearing', stages: ['first', 'second', 'torn'] });
await engine.workers.start();
after(() => engine.workers.close());

async function submit(by: typeof alice): Promise<string> {
  const files = [{ name: 'page.txt', content: Buffer.from('a page').toString('base64') }];
  return (await call('request.submit', { pipeline: 'tearing', output: 'done', files }, by)).uuid;
}

const failures = (input: object = {}, by = alice) => call('request.failed', input, by);

test('a request that failed says why, and which way it went; others leave no trace', async () => {
  const uuid = await submit(alice);
  await eventually('it failed', async () => (await failures()).total === 1);
  const [row] = (await failures()).requests;
  assert.deepEqual(
    [row.uuid, row.stage, row.outcome, row.queue, row.owner],
    [uuid, 'second', 'output', 'alice/done', 'alice'],
  );
  assert.match(row.reason, /the page is torn/);
  const shown = await call('request.show', { uuid }, alice);
  assert.deepEqual(
    shown.logs.map(({ stage, status }: { stage: string; status: string }) => [stage, status]),
    [
      ['first', 'OK'],
      ['second', 'Failed'],
    ],
  );
  assert.match(shown.logs[1].log, /looked at page.txt\n.*torn/s);
  assert.deepEqual(shown.stages, ['second', 'alice/done']);
  assert.deepEqual(shown.files, [{ name: 'page.txt', size: 6 }]);
});

test('failed requests are filtered, and counted beyond the page', async () => {
  await submit(mallory);
  await eventually('both failed', async () => (await failures({}, admin)).total === 2);
  const total = async (input: object, by = admin) => (await failures(input, by)).total;
  assert.equal(await total({ limit: 1 }), 2);
  assert.equal(await total({ owner: 'alice' }), 1);
  assert.equal(await total({ owner: 'mallory' }, alice), 0);
  assert.equal(await total({ stage: 'second' }), 2);
  assert.equal(await total({ stage: 'first' }), 0);
  assert.equal(await total({ reason: 'TORN' }), 2);
  assert.equal(await total({ text: 'looked at page' }), 2);
  assert.equal(await total({ text: '100%' }), 0);
  assert.equal(await total({ outcome: 'dead' }), 0);
  assert.equal(await total({ before: engine.clock.now() - 60_000 }), 0);
});

test('others’ failed requests look as if they had not failed', async () => {
  const { uuid } = (await failures({}, mallory)).requests[0];
  await assert.rejects(call('request.show', { uuid }, alice), { code: 'not-found' });
  assert.equal((await call('request.show', { uuid }, admin)).owner, 'mallory');
});

test('what failed more than a week ago is neither shown nor kept', async () => {
  const weekAgo = engine.clock.now() - 7 * 24 * 3_600_000 - 1;
  await engine.database.query
    .updateTable('failedRequest')
    .set({ failedAt: weekAgo })
    .where('owner', '=', 'mallory')
    .execute();
  assert.equal((await failures({}, mallory)).total, 0);
  assert.equal(await forgetFailures(engine.database.query, engine.clock.now()), 1);
});
