import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runServer } from '../testing/running-server.ts';
import { mostViews } from './saved-views.ts';

const view = {
  page: 'documents',
  name: 'doubtful',
  address: '/console/engine/queues?state=doubtful',
};

test('a saved view is found again, changed and deleted, and nobody else sees it', async (t) => {
  const server = await runServer(t);
  const [anna, rita] = [await server.signUp('anna', 'user'), await server.signUp('rita', 'reader')];
  const views = async (who: { key: string }, input = {}) =>
    (await server.call('view.ls', input, who)).body.views.map(
      ({ changedAt: _, ...one }: { changedAt: number }) => one,
    );
  assert.equal((await server.call('view.set', view, anna)).status, 200);
  const changed = { ...view, address: '/console/engine/queues?state=no-text' };
  await server.call('view.set', changed, anna);
  await server.call('view.set', { ...view, page: 'queues' }, anna);
  assert.deepEqual(await views(anna, { page: 'documents' }), [changed]);
  assert.equal((await views(anna)).length, 2);
  assert.deepEqual(await views(rita), []);
  assert.equal((await server.call('view.set', view, rita)).status, 200, 'readers have views too');
  const { page, name } = view;
  assert.equal((await server.call('view.delete', { page, name }, anna)).status, 200);
  assert.equal((await server.call('view.delete', { page, name }, anna)).status, 404);
  assert.deepEqual(await views(rita), [view]);
  assert.equal((await server.call('user.delete', { name: 'rita' }, { key: server.localToken })).status, 200);
  const left = await server.engine.database.query.selectFrom('savedView').select('owner').execute();
  assert.deepEqual(left, [{ owner: 'anna' }]);
});

test('views are limited, and lead nowhere else', async (t) => {
  const server = await runServer(t);
  const anna = await server.signUp('anna', 'user');
  for (const address of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)'])
    assert.equal((await server.call('view.set', { ...view, address }, anna)).status, 400, address);
  const rows = Array.from({ length: mostViews }, (_, index) => ({
    ...{ owner: 'anna', page: 'documents', name: `n${index}`, address: '/console', changedAt: 0 },
  }));
  await server.engine.database.query.insertInto('savedView').values(rows).execute();
  const refused = await server.call('view.set', { ...view, name: 'one more' }, anna);
  assert.equal(refused.body.error.code, 'quota-exceeded');
  assert.equal(
    (await server.call('view.set', { ...view, name: 'n3' }, anna)).status,
    200,
    'changes are possible',
  );
  assert.equal((await server.call('view.ls', {}, anna)).body.views.length, mostViews);
});
