import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type RunningServer, runServer } from '../../server/testing/running-server.ts';

const missing = '0'.repeat(64);
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

async function setUp(server: RunningServer) {
  const { engine } = server;
  await engine.stages.create({ name: 'read', processor: 'dummy' }, 'test');
  const users = {
    anna: await server.signUp('anna', 'user'),
    bert: await server.signUp('bert', 'user'),
    root: await server.signUp('root', 'admin'),
  };
  await server.call('pipeline.create', { name: 'p', stages: ['read', 'out'] }, users.root);
  type User = (typeof users)['anna'];
  const put = (user: User, body: string) => server.send('POST', '/api/v1/blobs', { ...user, body });
  const add = async (user: User, hash: string) => {
    const input = { name: 'd', pipeline: 'p' };
    const document = (await server.call('document.create', input, user)).body.id;
    return server.call('document.add', { document, name: 'source', hash }, user);
  };
  const submit = (user: User, hash: string) => {
    const files = [{ name: 'a', blob: hash }];
    return server.call('request.submit', { stages: ['read', `of-${user.name}`], files }, user);
  };
  return { ...users, put, add, submit };
}

test('naming the hash of another user’s bytes gets the same answer as naming bytes that don’t exist', async (t) => {
  const server = await runServer(t);
  const { anna, bert, root, put, add, submit } = await setUp(server);
  const single = (await put(anna, 'a secret')).body.hash;
  const { upload } = (await server.call('upload.create', {}, anna)).body;
  for (const [offset, body] of [
    [0, 'another '],
    [8, 'secret'],
  ] as const) {
    const path = `/api/v1/uploads/${upload}/${offset}`;
    assert.equal((await server.send('PUT', path, { ...anna, body })).status, 200);
  }
  const inParts = (await server.call('upload.finish', { upload }, anna)).body.hash;
  assert.equal(inParts, hashOf('another secret'));

  for (const hash of [single, inParts]) {
    for (const use of [add, submit]) {
      const [foreign, none] = [await use(bert, hash), await use(bert, missing)];
      assert.equal(foreign.status, 404, foreign.text);
      assert.equal(foreign.text.replaceAll(hash, missing), none.text);
      assert.equal((await use(anna, hash)).status, 200);
      assert.equal((await use(bert, hash)).status, 404, 'also once a document or request has them');
      assert.equal((await use(root, hash)).status, 200);
    }
  }
});

test('two users who uploaded the same bytes may both use them, and they are stored once', async (t) => {
  const server = await runServer(t);
  const { anna, bert, put, add, submit } = await setUp(server);
  const { hash } = (await put(anna, 'the same')).body;
  assert.equal((await put(bert, 'the same')).body.hash, hash);
  for (const user of [anna, bert]) {
    assert.equal((await add(user, hash)).status, 200);
    assert.equal((await submit(user, hash)).status, 200);
  }
  assert.equal((await Array.fromAsync(server.engine.blobs.list())).length, 1);
});

test('owners may reuse the bytes of their documents, however old the upload', async (t) => {
  const server = await runServer(t);
  const { anna, bert, put, add, submit } = await setUp(server);
  const { hash } = (await put(anna, 'a page')).body;
  assert.equal((await add(anna, hash)).status, 200);
  await server.engine.database.query.deleteFrom('blobPut').execute();
  assert.equal((await add(anna, hash)).status, 200);
  assert.equal((await submit(anna, hash)).status, 200);
  for (const use of [add, submit]) assert.equal((await use(bert, hash)).status, 404);
});
