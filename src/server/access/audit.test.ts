import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { defineStream } from '../../engine/operation/stream-operation.ts';
import { type RunningServer, runServer } from '../testing/running-server.ts';

async function entries(server: RunningServer, filter: object) {
  const { status, body, text } = await server.call('audit.ls', filter, { key: server.localToken });
  assert.equal(status, 200, text);
  return body.entries.map(({ actor, operation, outcome, owner, count }: Record<string, unknown>) => [
    String(actor).replace(/ \(key:.*/, ' (key)'),
    operation,
    outcome,
    owner,
    count,
  ]);
}

test('what an administrator reads of others is recorded, once an hour for the same thing, and nothing else that is read', async (t) => {
  const stream = defineStream({
    ...({ name: 'scroll.read', summary: 'Reads', role: 'reader', owner: async () => 'anna' } as const),
    input: z.strictObject({}),
    example: {},
    open: async () => ({
      content: (async function* () {
        yield Buffer.from('dear diary');
      })(),
      type: 'text/plain',
      fileName: 'diary.txt',
    }),
  });
  const server = await runServer(t, { operations: [stream] });
  const [anna, root] = [await server.signUp('anna', 'user'), await server.signUp('root', 'admin')];
  const { upload } = (await server.call('upload.create', {}, anna)).body;
  const own = (await server.call('upload.create', {}, root)).body.upload;
  for (const as of [anna, root, root, root]) {
    assert.equal((await server.call('upload.show', { upload }, as)).status, 200);
  }
  assert.equal((await server.call('upload.show', { upload: own }, root)).status, 200);
  for (const as of [anna, root]) assert.equal((await server.call('scroll.read', {}, as)).text, 'dear diary');
  await server.engine.stages.create({ name: 'work', processor: 'dummy' }, 'test');
  assert.equal((await server.call('queue.peek', { queue: 'work' }, root)).status, 200);
  assert.deepEqual(await entries(server, { operation: 'upload.show' }), [
    ['root (key)', 'upload.show', 'ok', 'anna', 3],
  ]);
  assert.deepEqual(await entries(server, { owner: 'anna' }), [
    ['root (key)', 'scroll.read', 'ok', 'anna', 1],
    ['root (key)', 'upload.show', 'ok', 'anna', 3],
  ]);
  assert.deepEqual(await entries(server, { operation: 'queue.peek' }), [
    ['root (key)', 'queue.peek', 'ok', null, 1],
  ]);
});

test('an administrator who takes the results of another user is recorded, though taking is not', async (t) => {
  const server = await runServer(t);
  const [anna, root] = [await server.signUp('anna', 'user'), await server.signUp('root', 'admin')];
  await server.engine.stages.create({ name: 'work', processor: 'dummy' }, 'test');
  await server.call('pipeline.create', { name: 'mine', stages: ['work', 'letters'] }, anna);
  for (const as of [anna, root]) {
    assert.equal((await server.call('results.take', { queue: 'anna/letters', waitMs: 0 }, as)).status, 200);
  }
  assert.deepEqual(await entries(server, { operation: 'results.take' }), [
    ['root (key)', 'results.take', 'ok', 'anna', 1],
  ]);
});

test('a stranger who knocks all day fills one row', async (t) => {
  const server = await runServer(t, { http: { requestsPerMinute: 100_000 } });
  for (let count = 0; count < 9; count++) {
    const claim = { token: 'x'.repeat(90), name: `guess${count}`, password: 'correct horse battery' };
    assert.equal((await server.call('setup.claim', claim)).status, 403);
  }
  await server.call('stage.delete', { name: 'x' });
  assert.deepEqual(await entries(server, {}), [['(nobody)', 'setup.claim', 'forbidden', null, 9]]);
});

test('a user who is refused all day fills a few rows', async (t) => {
  const server = await runServer(t);
  const anna = await server.signUp('anna', 'reader');
  for (let count = 0; count < 50; count++) await server.call('stage.delete', { name: `s${count}` }, anna);
  const rows = await entries(server, {});
  assert.equal(rows.length, 5);
  assert.deepEqual(rows[0], ['anna (key)', 'stage.delete', 'forbidden', null, 46]);
});

test('the audit log is exported as JSON lines and CSV, whole or of a time', async (t) => {
  const server = await runServer(t);
  const root = await server.signUp('root', 'admin');
  const row = { operation: 'stage.delete', outcome: 'ok', address: '10.0.0.1' };
  const values = Array.from({ length: 1234 }, (_, index) => ({
    ...row,
    // Five share a moment, so that pages end within one.
    at: 1000 + Math.floor(index / 5),
    id: `0${String(index).padStart(5, '0')}`,
    actor: index === 7 ? '=cmd|calc' : 'anna',
    inputJson: JSON.stringify({ name: `a, "b"\n${index}` }),
  }));
  for (let start = 0; start < values.length; start += 500) {
    await server.engine.database.query
      .insertInto('audit')
      .values(values.slice(start, start + 500))
      .execute();
  }
  const lines = (await server.call('audit.export', { to: 100_000 }, root)).text.trim().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).id),
    values.map(({ id }) => id),
  );
  assert.deepEqual(JSON.parse(lines[3] ?? '').input, { name: 'a, "b"\n3' });
  const some = await server.call('audit.export', { from: 1001, to: 1003 }, root);
  assert.equal(some.headers.get('content-type'), 'application/x-ndjson');
  assert.equal(some.text.trim().split('\n').length, 10);
  const csv = await server.call('audit.export', { format: 'csv', from: 1001, to: 1002 }, root);
  const [head, ...rest] = csv.text.trimEnd().split('\r\n');
  assert.equal(head, 'at,actor,operation,outcome,address,owner,count,lastAt,input,id');
  assert.equal(rest.length, 5);
  assert.equal(
    rest[2],
    `1970-01-01T00:00:01.001Z,'=cmd|calc,stage.delete,ok,10.0.0.1,,1,,"{""name"":""a, \\""b\\""\\n7""}",000007`,
  );
  assert.equal((await entries(server, { operation: 'audit.export' })).length, 3, 'exports are recorded');
  const anna = await server.signUp('anna', 'user');
  assert.equal((await server.call('audit.export', {}, anna)).status, 403);
});
