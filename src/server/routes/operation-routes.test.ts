import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { defineOperation } from '../../engine/operation/operation.ts';
import { runServer } from '../testing/running-server.ts';

test('an operation learns that its caller has hung up', async (t) => {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<string>();
  const patient = defineOperation({
    name: 'test.wait',
    summary: 'Waits until nobody wants the answer any more',
    role: 'public',
    owner: 'none',
    changes: true,
    input: z.strictObject({}),
    output: z.strictObject({}),
    example: {},
    async handler({ signal }) {
      signal.addEventListener('abort', () => aborted.resolve('aborted'));
      started.resolve();
      await aborted.promise;
      return {};
    },
  });
  const server = await runServer(t, { operations: [patient] });
  const hangUp = new AbortController();
  const call = fetch(`${server.localUrl}/api/v1/test/wait`, { method: 'POST', signal: hangUp.signal });
  await started.promise;
  hangUp.abort();
  await assert.rejects(call);
  assert.equal(await aborted.promise, 'aborted');
});

test('a change without a body is a change with an empty input', async (t) => {
  const server = await runServer(t);
  const { key } = await server.signUp('anna', 'user');
  assert.equal((await server.send('POST', '/api/v1/session/logout', { key })).status, 200);
  const [bare, empty] = [
    await server.send('POST', '/api/v1/document/create', { key }),
    await server.call('document.create', {}, { key }),
  ];
  assert.equal(bare.status, 400);
  assert.match(bare.body.error.message, /name/);
  assert.deepEqual(bare.body, empty.body);
});

test('query parameters become what the operation wants, and wrong ones are named', async (t) => {
  const server = await runServer(t);
  const { key } = await server.signUp('root', 'admin');
  const { body } = await server.send('GET', '/api/v1/audit/ls?limit=1&actor=12', { key });
  assert.deepEqual(body, { entries: [], next: null });
  const wrong = await server.send('GET', '/api/v1/audit/ls?limit=many&colour=red', { key });
  assert.equal(wrong.status, 400);
  assert.deepEqual(
    wrong.body.error.details.issues.map(({ path }: { path: string }) => path),
    ['limit', ''],
  );
});

test('an operation answers under its former name, and to keys whose scope has that name', async (t) => {
  const renamed = defineOperation({
    name: 'test.new',
    formerNames: ['test.old'],
    summary: 'Says how it was called',
    role: 'reader',
    owner: 'none',
    changes: true,
    input: z.strictObject({}),
    output: z.strictObject({ caller: z.string() }),
    example: {},
    handler: async ({ caller }) => ({ caller: caller.name }),
  });
  const server = await runServer(t, { operations: [renamed] });
  const { key } = await server.signUp('anna', 'reader');
  const pathOf = (name: string) => `/api/v1/${name.replace('.', '/')}`;
  const scoped = async (scope: string) =>
    (await server.call('key.create', { name: scope, scopes: [scope] }, { key })).body.key;
  for (const scope of ['test.old', 'test.new', 'test.'])
    for (const name of ['test.old', 'test.new']) {
      const { status, body } = await server.send('POST', pathOf(name), { key: await scoped(scope) });
      assert.deepEqual([status, body], [200, { caller: 'anna' }], `${name} with the scope ${scope}`);
    }
  for (const name of ['test.old', 'test.new']) {
    const refused = await server.send('POST', pathOf(name), { key: await scoped('event.ls') });
    assert.equal(refused.status, 403);
    assert.match(refused.body.error.message, /may not call test\.new/);
  }

  const { text } = await server.send('GET', '/api/v1/openapi.json');
  assert.match(text, /test\.new/);
  assert.doesNotMatch(text, /test[./]old/);
  const { body } = await server.call('audit.ls', {}, { key: (await server.signUp('root', 'admin')).key });
  const audited = body.entries.map(({ operation }: { operation: string }) => operation);
  assert.ok(audited.includes('test.new') && !audited.includes('test.old'), audited.join());
});
