import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOperations } from '../../testing/call-operations.ts';
import { writeWorker } from '../../testing/worker-nodes.ts';

const { engine, call } = await openOperations();

test('a node is written, read and listed', async () => {
  const written = await call('coordination.set', { path: '/notes/a', value: 'hello' });
  assert.deepEqual(await call('coordination.get', { path: '/notes/a' }), written);
  assert.deepEqual(await call('coordination.ls', { path: '/notes' }), { nodes: [written] });
  await call('coordination.set', { path: '/top', value: 'of the tree' });
  const { nodes } = await call('coordination.ls', { path: '/' });
  assert.ok(nodes.some((node: { path: string }) => node.path === '/top'));
});

test('a node that another caller changed in the meantime is not overwritten', async () => {
  const { version } = await call('coordination.set', { path: '/notes/b', value: '1' });
  await call('coordination.set', { path: '/notes/b', value: '2', version });
  await assert.rejects(call('coordination.set', { path: '/notes/b', value: '3', version }), {
    code: 'node-changed',
  });
});

test('a node that is not there is not found', async () => {
  await assert.rejects(call('coordination.get', { path: '/notes/missing' }), { code: 'not-found' });
});

test('paths that are none are refused', async () => {
  for (const path of ['', 'notes', '/notes/', '//', '/a/../b', '/a/.', '/a\u0000b']) {
    await assert.rejects(call('coordination.get', { path }), { code: 'invalid-input' }, path);
  }
});

test('nothing can be written by hand that would stop those who read it', async () => {
  const set = (path: string, value: string) => call('coordination.set', { path, value });
  await assert.rejects(set('/workers/w1', 'nonsense'), { code: 'invalid-input', message: /JSON/ });
  await assert.rejects(set('/workers/w1', '{}'), { code: 'invalid-input' });
  await writeWorker(engine.coordination, 'w1');
  const { value } = await call('coordination.get', { path: '/workers/w1' });
  await assert.rejects(set('/workers/w2', value), {
    code: 'invalid-input',
    message: /id in the record must be w2/,
  });
  await set('/workers/w1', value);
  for (const path of ['/presence/w1', '/stages/work', '/services/watchdog', '/watchdog/averages']) {
    await assert.rejects(set(path, '1'), { code: 'conflict' }, path);
  }
  assert.equal((await call('worker.ls')).workers.length, 1);
});

test('addresses of servers are shown without their credentials', async () => {
  await call('server.set', { name: 'broker', url: 'sqlite://user:secret-word@host/x?token=secret-word' });
  const shown = [
    await call('server.ls'),
    await call('coordination.ls', { path: '/servers' }),
    await call('coordination.get', { path: '/servers/broker' }),
  ];
  for (const answer of shown) {
    assert.match(JSON.stringify(answer), /sqlite:/);
    assert.doesNotMatch(JSON.stringify(answer), /secret-word/);
  }
  const audit = await engine.database.query.selectFrom('audit').select('inputJson').execute();
  assert.doesNotMatch(JSON.stringify(audit), /secret-word/);
});

test('an address that the settings would not take is refused, without repeating it', async () => {
  for (const set of [
    call('server.set', { name: 'broker', url: 'ftp://user:secret-word@host' }),
    call('coordination.set', { path: '/servers/broker', value: 'ftp://user:secret-word@host' }),
  ]) {
    await assert.rejects(
      set,
      (error: Error) => /sqlite:/.test(error.message) && !/secret-word/.test(error.message),
    );
  }
});
