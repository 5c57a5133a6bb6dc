import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fromBinary } from '@bufbuild/protobuf';
import { readBlob } from '../../engine/blobs/blobs.ts';
import { ProcessingRequestSchema } from '../../engine/request/request_pb.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { type RunningServer, runServer } from '../testing/running-server.ts';

const octets = { 'content-type': 'application/octet-stream' };
const path = '/api/v1/blobs';

test('bytes are streamed to the server and named by what they are', async (t) => {
  const server = await runServer(t);
  const { key } = await server.signUp('anna', 'user');
  const content = randomBytes(3_000_000);
  const hash = createHash('sha256').update(content).digest('hex');
  const answer = await server.send('POST', path, { key, headers: octets, body: content });
  assert.deepEqual([answer.status, answer.body], [200, { hash, size: content.length }]);
  assert.deepEqual(Buffer.from(await readBlob(server.engine.blobs, hash)), content);
  const json = await server.send('POST', path, {
    key,
    headers: { 'content-type': 'application/json' },
    body: '{',
  });
  assert.deepEqual([json.status, json.body.size], [200, 1]);
});

test('an upload needs the role user and the scope, and is audited', async (t) => {
  const server = await runServer(t);
  const [reader, user] = [await server.signUp('bert', 'reader'), await server.signUp('anna', 'user')];
  const scoped = await server.call('key.create', { name: 'k', scopes: ['results.'] }, user);
  const upload = (key?: string) => server.send('POST', path, { key, headers: octets, body: 'x' });
  assert.equal((await upload()).status, 401);
  assert.equal((await upload(reader.key)).status, 403);
  assert.equal((await upload(scoped.body.key)).status, 403);
  assert.equal((await upload(user.key)).status, 200);
  const { body } = await server.call('audit.ls', { operation: 'blob.upload' }, { key: server.localToken });
  assert.deepEqual([body.entries.length, body.entries[0].outcome, body.entries[0].input.size], [1, 'ok', 1]);
});

test('an upload over the limit is refused, whether it says its size or not, and leaves nothing', async (t) => {
  const server = await runServer(t, { http: { bodyLimitMb: 0.1 } });
  const { key } = await server.signUp('anna', 'user');
  const known = await server.send('POST', path, { key, headers: octets, body: randomBytes(200_000) });
  assert.deepEqual([known.status, known.body.error.code], [413, 'too-large']);
  let sent = 0;
  const unknown = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 10_000;
      if (sent > 150_000) controller.close();
      else controller.enqueue(randomBytes(10_000));
    },
  });
  const streamed = await server.send('POST', path, { key, headers: octets, body: unknown });
  assert.deepEqual([streamed.status, streamed.body.error.code], [413, 'too-large']);
  assert.equal((await Array.fromAsync(server.engine.blobs.list())).length, 0);
});

test('a user with too many unused uploads is refused before or during the upload, and learns why', async (t) => {
  const server = await runServer(t, { upload: { unusedMb: 4 } });
  const { engine } = server;
  await engine.stages.create({ name: 'read', processor: 'dummy' }, 'test');
  await engine.pipelines.create({ name: 'p', stages: ['read', 'out'], owner: 'local' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const stored = async () => (await Array.fromAsync(engine.blobs.list())).length;
  for (const { name, key } of [await server.signUp('anna', 'user'), await server.signUp('root', 'admin')]) {
    const post = (body: Buffer, announced: boolean) => sendWith(agent, server, key, body, announced);
    const [first, second] = [await post(randomBytes(1_500_000), true), await post(Buffer.from(name), false)];
    assert.deepEqual([first.status, second.status], [200, 200]);
    const before = await stored();
    for (const announced of [true, false]) {
      const tooMuch = await post(randomBytes(5_000_000), announced);
      assert.deepEqual([tooMuch.status, tooMuch.body.error.code], [429, 'quota-exceeded']);
      assert.match(
        tooMuch.body.error.message,
        /take 2548576 bytes .* the limit is 4 MB \(setting upload\.unusedMb/,
      );
      assert.equal(await stored(), before, 'nothing of it stays');
      assert.equal((await post(Buffer.from(name), announced)).status, 200);
    }
    // What a document or a request has is not unused.
    assert.equal((await post(randomBytes(2_000_000), true)).status, 429);
    const { id } = (await server.call('document.create', { name: 'd', pipeline: 'p' }, { key })).body;
    const source = { document: id, name: 'source', hash: first.body.hash };
    assert.equal((await server.call('document.add', source, { key })).status, 200);
    const third = await post(randomBytes(2_000_000), false);
    assert.equal(third.status, 200);
    assert.equal((await post(randomBytes(2_000_000), true)).status, 429);
    const files = [{ name: 'a', blob: third.body.hash }];
    const submitted = await server.call('request.submit', { stages: ['read', `of-${name}`], files }, { key });
    assert.equal(submitted.status, 200, submitted.text);
    assert.equal((await post(randomBytes(2_000_000), true)).status, 200);
  }
});

test('files that a stage has do not count as unused', async (t) => {
  const server = await runServer(t, { upload: { unusedMb: 1 } });
  const root = await server.signUp('root', 'admin');
  const post = (body: string) => server.send('POST', path, { ...root, headers: octets, body });
  const model = (await post('model')).body;
  assert.equal((await post('more')).status, 429);
  const stage = { name: 'read', processor: 'dummy', files: [{ name: 'model', ...model }] };
  const made = await server.call('stage.create', stage, root);
  assert.equal(made.status, 200, made.text);
  assert.equal((await post('more')).status, 200);
});

test('an upload that breaks off leaves nothing, and the server goes on', async (t) => {
  const server = await runServer(t);
  const { key } = await server.signUp('anna', 'user');
  let chunks = 0;
  const broken = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (chunks++ < 3) controller.enqueue(randomBytes(50_000));
      else controller.error(new Error('the disk was pulled out'));
    },
  });
  await assert.rejects(server.send('POST', path, { key, headers: octets, body: broken }));
  assert.equal((await server.send('POST', path, { key, headers: octets, body: 'whole' })).status, 200);
  assert.equal((await Array.fromAsync(server.engine.blobs.list())).length, 1);
});

test('a client that goes away while it is being refused does no harm', async (t) => {
  const server = await runServer(t, { http: { bodyLimitMb: 0.1 } });
  const { key } = await server.signUp('anna', 'user');
  let chunks = 0;
  const broken = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (chunks++ < 30) controller.enqueue(randomBytes(50_000));
      else controller.error(new Error('the disk was pulled out'));
    },
  });
  await server.send('POST', path, { key, headers: octets, body: broken }).then(
    ({ status }) => assert.equal(status, 413),
    (error: unknown) => assert.ok(error instanceof Error),
  );
  assert.equal((await server.send('POST', path, { key, headers: octets, body: 'whole' })).status, 200);
  assert.equal((await Array.fromAsync(server.engine.blobs.list())).length, 1);
});

test('a file of a taken result is downloaded with its receipt, by the owner, until it is confirmed', async (t) => {
  const server = await runServer(t);
  const [anna, bert, admin] = await Promise.all([
    server.signUp('anna', 'user'),
    server.signUp('bert', 'user'),
    server.signUp('root', 'admin'),
  ]);
  const content = randomBytes(400_000);
  const { receipt, hash } = await takeLargeResult(server, anna, content);
  const file = `/api/v1/results/${receipt}/blobs/${hash}`;
  const response = await fetch(`${server.localUrl}${file}`, {
    headers: { authorization: `Bearer ${anna.key}` },
  });
  assert.equal(response.headers.get('content-length'), '400000');
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), content);
  assert.equal((await server.send('GET', file, admin)).status, 200);

  const other = await server.engine.blobs.put(Buffer.from('not part of it'));
  for (const [who, where] of [
    [bert, file],
    [anna, `/api/v1/results/${receipt}/blobs/${other.hash}`],
    [anna, `/api/v1/results/unknown/blobs/${hash}`],
    [anna, `/api/v1/results/${receipt}/blobs/..%2f..%2fpismak.db`],
  ] as const) {
    const refused = await server.send('GET', where, who);
    assert.deepEqual([refused.status, refused.body.error.code], [404, 'not-found'], where);
  }
  assert.equal((await server.send('GET', file)).status, 401);
  await server.call('results.confirm', { receipts: [receipt] }, anna);
  assert.equal((await server.send('GET', file, anna)).status, 404);
});

test('a download that the client gives up holds nothing open', async (t) => {
  const server = await runServer(t);
  const anna = await server.signUp('anna', 'user');
  const { receipt, hash } = await takeLargeResult(server, anna, randomBytes(20_000_000));
  const given = new AbortController();
  const response = await fetch(`${server.localUrl}/api/v1/results/${receipt}/blobs/${hash}`, {
    signal: given.signal,
    headers: { authorization: `Bearer ${anna.key}` },
  });
  await response.body?.getReader().read();
  const isOpen = async () => (await openFiles()).some((name) => name.includes(hash));
  assert.equal(await isOpen(), true, 'most of it is still to come');
  given.abort();
  await eventually('the file is closed', async () => !(await isOpen()));
});

/** Over a connection of the agent, with the size announced or in chunks. */
async function sendWith(
  agent: Agent,
  { localUrl }: RunningServer,
  key: string,
  body: Buffer,
  announced: boolean,
) {
  const sent = request(`${localUrl}${path}`, {
    agent,
    method: 'POST',
    headers: {
      ...octets,
      authorization: `Bearer ${key}`,
      ...(announced ? { 'content-length': body.length } : { 'transfer-encoding': 'chunked' }),
    },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = JSON.parse(await text(response));
  return { status: response.statusCode, body: answer };
}

async function openFiles(): Promise<string[]> {
  const { readdir, readlink } = await import('node:fs/promises');
  const names = await readdir('/proc/self/fd');
  return Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
}

/** A result with one file too large to travel in the message. */
async function takeLargeResult(server: RunningServer, owner: { key: string }, content: Uint8Array) {
  const { engine } = server;
  await engine.stages.create({ name: 'ocr', processor: 'dummy' }, 'test');
  const upload = { ...owner, headers: octets, body: new Uint8Array(content) };
  const { hash: blob } = (await server.send('POST', path, upload)).body;
  const files = [{ name: 'page.png', blob }];
  const submitted = await server.call('request.submit', { stages: ['ocr', 'out'], files }, owner);
  assert.equal(submitted.status, 200, submitted.text);
  // What a worker would do: pass it on to the output queue.
  const [message] = await engine.broker.peek('ocr');
  assert.ok(message);
  await engine.broker.publish('anna/out', { id: message.id, body: message.body });
  const { body } = await server.call('results.take', { queue: 'out', waitMs: 10_000 }, owner);
  const { receipt, message: encoded } = body.results[0];
  const request = fromBinary(ProcessingRequestSchema, Buffer.from(encoded, 'base64'));
  return { receipt, hash: request.results[0]?.blob ?? '' };
}
