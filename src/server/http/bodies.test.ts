import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadHouses } from '../../engine/house.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { ManualClock } from '../../engine/time/clock.ts';
import { houses } from '../../houses.ts';
import { callsOf, operationsOf } from '../operations.ts';
import { routeOf } from '../routes/operation-routes.ts';
import { connectRaw, type RawConnection } from '../testing/raw-connection.ts';
import { runServer } from '../testing/running-server.ts';
import { slowestBody } from './body-chunks.ts';
import { deepestJson } from './json-shape.ts';

const json = { 'content-type': 'application/json' };
const announced = 60 * 2 ** 20;

/** All routes that take a body, of houses that come later too. */
const writes = callsOf(operationsOf(await loadHouses(houses))).filter(({ changes }) => changes);
const routes = [
  ...writes.filter(({ role }) => role !== 'public').map((operation) => `POST ${routeOf(operation)}`),
  'POST /api/v1/blobs',
  'PUT /api/v1/uploads/some/0',
];

test('a stranger is refused before a byte of the body is read, on every route', async (t) => {
  const server = await runServer(t);
  for (const line of routes) {
    const client = await connectRaw(server, t);
    // The body never comes, so an answer can't depend on it.
    client.head(line, { ...json, 'content-length': announced });
    assert.equal(await client.status(), 401, line);
    client.socket.destroy();
  }
});

test('60 MB of nested arrays from a stranger are neither read nor parsed, wherever they go', async (t) => {
  const server = await runServer(t);
  const expected = {
    'POST /api/v1/session/login': 413,
    'POST /api/v1/stage/create': 401,
    'POST /nowhere': 404,
    'POST /api/v1/%zz': 400,
    'DELETE /api/v1/stage/create': 404,
    'GET /api/v1/health': 400,
    'POST /api/v1/blobs': 401,
  };
  const attacks = Object.entries(expected).map(async ([line, status]) => {
    const client = await connectRaw(server, t);
    client.head(line, { ...json, 'content-length': announced });
    await sendUntilClosed(client, '['.repeat(2 ** 16));
    assert.equal(await client.status(), status, line);
    assert.ok(client.bytesTaken() < 2 ** 20, `${line}: ${client.bytesTaken()} bytes were read`);
  });
  await Promise.all(attacks);
});

test('a body without an announced size is cut off at the limit of the operation', async (t) => {
  const server = await runServer(t);
  const { key } = await server.signUp('anna', 'admin');
  const cases = [
    ['/api/v1/session/login', {}, /larger than 16 KB \(the limit of session\.login\)/],
    [
      '/api/v1/key/create',
      { authorization: `Bearer ${key}` },
      /larger than 1 MB \(the limit of key\.create\)/,
    ],
    ['/api/v1/request/submit', { authorization: `Bearer ${key}` }, /larger than 8 MB/],
  ] as const;
  for (const [path, headers, message] of cases) {
    const client = await connectRaw(server, t);
    client.head(`POST ${path}`, { ...json, ...headers, 'transfer-encoding': 'chunked' });
    await sendUntilClosed(client, `10000\r\n${' '.repeat(0x10000)}\r\n`);
    assert.equal(await client.status(), 413, path);
    assert.match(client.heard(), message);
  }
});

test('a client that waits for 100 Continue is asked for its body only if it may send one', async (t) => {
  const server = await runServer(t);
  const { key } = await server.signUp('anna', 'user');
  const stranger = await connectRaw(server, t);
  const expecting = { ...json, expect: '100-continue', 'content-length': 2 };
  stranger.head('POST /api/v1/upload/create', expecting);
  assert.equal(await stranger.status(), 401);
  const anna = await connectRaw(server, t);
  anna.head('POST /api/v1/upload/create', { ...expecting, authorization: `Bearer ${key}` });
  assert.equal(await anna.status(), 100);
  anna.socket.write('{}');
  await eventually('the answer', async () => anna.heard().includes('HTTP/1.1 200'));
});

test('deep or endless lists are refused without parsing, and what is ordinary passes', async (t) => {
  const server = await runServer(t);
  const admin = await server.signUp('anna', 'admin');
  const post = (body: string) =>
    server.send('POST', '/api/v1/stage/create', { ...admin, headers: json, body });
  const nested = (depth: number) => `{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  assert.match((await post(nested(deepestJson))).body.error.message, /nested more than 32 levels/);
  assert.match((await post(nested(deepestJson - 1))).body.error.message, /^name must be text/);
  assert.match((await post('['.repeat(500_000))).body.error.message, /nested/);
  const wide = await post(`[${'{},'.repeat(300_000)}{}]`);
  assert.deepEqual([wide.status, wide.body.error.code], [413, 'too-large']);
  // Brackets in a text are not structure, also behind escapes.
  const config = `${'['.repeat(100)}\\"${'{'.repeat(100)}\\\\`;
  const stage = { name: 'ordinary', processor: 'dummy', config };
  assert.match((await post(JSON.stringify(stage))).body.error.message, /config/i);
});

describe('slow senders', () => {
  const start = async (t: Parameters<typeof runServer>[0], line: string, size: number) => {
    const clock = new ManualClock();
    const server = await runServer(t, { clock });
    const { key } = await server.signUp('anna', 'user');
    const client = await connectRaw(server, t);
    client.head(line, {
      ...json,
      authorization: `Bearer ${key}`,
      expect: '100-continue',
      'content-length': size,
    });
    // From here on the server waits for the body.
    assert.equal(await client.status(), 100);
    return { clock, client };
  };

  for (const line of ['POST /api/v1/request/submit', 'POST /api/v1/blobs']) {
    test(`a body that dribbles in is given up: ${line}`, async (t) => {
      const { clock, client } = await start(t, line, 100_000);
      client.socket.write('{');
      await client.received();
      clock.advance(slowestBody.withinMs);
      await eventually('the refusal', async () => client.heard().includes('HTTP/1.1 408'));
      assert.match(client.heard(), /"code":"too-slow"/);
    });
  }

  test('a body that keeps a modest pace is taken, however long it takes', async (t) => {
    const { clock, client } = await start(t, 'POST /api/v1/blobs', 8 * slowestBody.bytes);
    for (let part = 0; part < 8; part++) {
      client.socket.write(Buffer.alloc(slowestBody.bytes));
      await client.received();
      clock.advance(slowestBody.withinMs - 1000);
    }
    await eventually('the answer', async () => client.heard().includes('HTTP/1.1 200'));
  });
});

test('one user cannot fill the memory with many large bodies at once', async (t) => {
  const server = await runServer(t);
  const [anna, bert] = [await server.signUp('anna', 'user'), await server.signUp('bert', 'user')];
  const send = async ({ key }: { key: string }, size: number) => {
    const client = await connectRaw(server, t);
    const headers = {
      ...json,
      authorization: `Bearer ${key}`,
      expect: '100-continue',
      'content-length': 8e6,
    };
    client.head('POST /api/v1/request/submit', headers);
    assert.equal(await client.status(), 100);
    client.socket.write(Buffer.alloc(size, ' '));
    return client;
  };
  const clients: RawConnection[] = [];
  for (let count = 0; count < 6; count++) clients.push(await send(anna, 7e6));
  await eventually('some are refused', async () =>
    clients.some((one) => one.heard().includes('HTTP/1.1 429')),
  );
  const other = await send(bert, 7e6);
  await other.received();
  for (const { socket } of [...clients, other]) socket.destroy();
  await eventually('there is room again', async () => {
    const answer = await server.call('request.submit', { stages: ['none', 'out'], files: [] }, anna);
    return answer.status === 400;
  });
});

test('a body where none belongs is refused', async (t) => {
  const server = await runServer(t);
  const client = await connectRaw(server, t);
  client.head('GET /docs', { 'content-length': announced });
  assert.equal(await client.status(), 400);
  await client.closed();
});

test('a refusal leaves the connection usable if the body was complete', async (t) => {
  const server = await runServer(t);
  const client = await connectRaw(server, t);
  for (let count = 1; count <= 2; count++) {
    client.socket.write(
      `POST /api/v1/upload/create HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}`,
    );
    await eventually('the answer', async () => client.heard().split('HTTP/1.1 401').length === count + 1);
  }
});

/** Sends the same bytes again and again until the server closes. */
async function sendUntilClosed({ socket, closed }: RawConnection, chunk: string): Promise<void> {
  const send = () => {
    while (socket.writable && socket.bytesWritten < announced && socket.write(chunk));
  };
  socket.on('drain', send);
  send();
  await closed();
}
