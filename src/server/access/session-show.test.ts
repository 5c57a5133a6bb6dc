import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runServer } from '../testing/running-server.ts';

test('session.show lists the houses, and exactly the operations that calls are not refused for', async (t) => {
  const server = await runServer(t);
  const [anna, rita] = [await server.signUp('anna', 'user'), await server.signUp('rita', 'reader')];
  const seenBy = async (who: { key: string }) => (await server.call('session.show', {}, who)).body;
  const admin = await seenBy({ key: server.localToken });
  assert.deepEqual(
    admin.houses,
    server.engine.houses.map(({ name }) => name),
  );
  for (const who of [anna, rita]) {
    const { operations } = await seenBy(who);
    assert.ok(operations.length > 5 && operations.length < admin.operations.length);
    for (const name of ['user.ls', 'request.submit', 'stage.ls', 'session.login'] as const) {
      const { status, body } = await server.call(name, {}, who);
      const isRefused = status === 403 && body.error.code === 'forbidden';
      assert.equal(operations.includes(name), !isRefused, `${name} for ${who.name}`);
    }
  }
});

test('a key with scopes sees only what they cover', async (t) => {
  const server = await runServer(t);
  const anna = await server.signUp('anna', 'user');
  const made = await server.call('key.create', { name: 'viewer', scopes: ['session.show', 'stage.'] }, anna);
  const { body } = await server.call('session.show', {}, { key: made.body.key });
  assert.ok(body.operations.includes('stage.ls') && body.operations.includes('session.login'));
  assert.ok(!body.operations.includes('request.submit') && !body.operations.includes('stage.create'));
});
