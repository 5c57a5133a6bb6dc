import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { FetchFailure } from './fetch-failure.ts';
import { connectTo } from './fetch-page.ts';

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
const inChunks = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

/** A server that answers each request with bytes of our choice, and a robot's connection to it under another name. */
async function talk(t: TestContext, answer: (socket: Socket, request: number) => void, options = {}) {
  const heads: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      heads.push(bytes.toString('latin1'));
      answer(socket, heads.length);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const where = { origin: `http://www.example.cz:${port}`, host: 'www.example.cz', address: '127.0.0.1' };
  const connection = connectTo(where, {
    timeoutMs: 20_000,
    limitBytes: 1_000,
    connections: 2,
    allowPrivate: true,
    contact: '',
    headers: { 'user-agent': 'Test/1.0' },
    ...options,
  });
  t.after(async () => {
    await connection.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const get = (path = '/', headers = {}) =>
    connection.get(path, headers).catch((error: unknown) => {
      if (error instanceof FetchFailure) return error;
      throw error;
    });
  return { get, heads, sockets, port };
}

const outcome = (answer: Awaited<ReturnType<Awaited<ReturnType<typeof talk>>['get']>>) =>
  answer instanceof FetchFailure ? answer.kind : `${answer.status} ${answer.body}`;

test('an answer is the same however the network cuts it: with a length, in chunks, or up to the end', async (t) => {
  const answers = [
    `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}Content-Length: 5\r\n\r\nhello`,
    `${inChunks}2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nX-Sum: 1\r\n\r\n`,
    'HTTP/1.0 200 OK\r\n\r\nhello',
  ];
  for (const bytes of answers) {
    for (const size of [1, 7, 1_000]) {
      const { get } = await talk(t, async (socket) => {
        for (let at = 0; at < bytes.length; at += size) {
          socket.write(bytes.slice(at, at + size));
          await new Promise((resolve) => setImmediate(resolve));
        }
        socket.end();
      });
      assert.equal(outcome(await get()), '200 hello', JSON.stringify([bytes, size]));
    }
  }
});

test('an answer that two readers could understand differently is refused', async (t) => {
  const broken = [
    `${ok}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`,
    `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    `${ok}Content-Length: +5\r\n\r\nhello`,
    `${ok}Content-Length : 5\r\n\r\nhello`,
    `${ok}X: a\r\n b\r\nContent-Length: 5\r\n\r\nhello`,
    `${ok}X: a\nContent-Length: 5\r\n\r\nhello`,
    `${ok}X: a\0\r\nContent-Length: 5\r\n\r\nhello`,
    'HTTP/1.1 200 OK\nContent-Length: 5\n\nhello',
    'HTTP/1.1 OK\r\nContent-Length: 5\r\n\r\nhello',
    `${inChunks}0x5\r\nhello\r\n0\r\n\r\n`,
    `${inChunks}5\r\nhello!\r\n0\r\n\r\n`,
    `${inChunks}5\nhello\n0\n\n`,
    `${ok}X: ${'x'.repeat(70_000)}\r\n\r\n`,
  ];
  let next = 0;
  const { get, sockets } = await talk(t, (socket) => void socket.write(broken[next] ?? ''));
  for (; next < broken.length; next++) {
    const answer = await get();
    assert.equal(outcome(answer), 'broken answer', JSON.stringify(broken[next]?.slice(0, 200)));
    assert.equal((answer as FetchFailure).isTemporary, false);
  }
  assert.equal(sockets.length, broken.length, 'none of these connections is used again');
});

test('bytes that nobody asked for are no answer to the next request', async (t) => {
  const hidden = `${ok}Content-Length: 4\r\n\r\nevil`;
  const { get, sockets } = await talk(t, (socket, request) => {
    if (request === 1) socket.write(`${ok}Content-Length: 4\r\n\r\ngood${hidden}`);
    else if (request === 2) socket.write(`HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n${hidden}`);
    else socket.write(`${ok}Content-Length: 4\r\n\r\nnext`);
  });
  assert.equal(outcome(await get()), '200 good');
  assert.equal(outcome(await get()), '304 ');
  assert.equal(outcome(await get()), '200 next');
  assert.equal(sockets.length, 3);
});

test('a connection carries one request after another, to the planned address under the name of the host', async (t) => {
  const { get, heads, sockets, port } = await talk(t, (socket, request) => {
    const close = request === 3 ? 'Connection: close\r\n' : '';
    socket.write(`${ok}${close}Content-Length: 2\r\n\r\nok`);
  });
  for (let request = 1; request <= 4; request++)
    assert.equal(outcome(await get(`/${request}`, { 'if-none-match': '"1"' })), '200 ok');
  assert.equal(sockets.length, 2, 'the server wanted to close the first one');
  assert.deepEqual(heads[0]?.trim().split('\r\n'), [
    'GET /1 HTTP/1.1',
    `host: www.example.cz:${port}`,
    'connection: keep-alive',
    'user-agent: Test/1.0',
    'if-none-match: "1"',
  ]);
  assert.deepEqual(outcome(await get('/a b')), 'broken address');
  assert.deepEqual(outcome(await get('/', { x: 'a\r\nb: c' })), 'broken header');
  assert.equal(heads.length, 4);
});

test('a connection that is lost before any byte of its answer is told apart if it was idle before', async (t) => {
  const good = `${ok}Content-Length: 2\r\n\r\nok`;
  const fates: ((socket: Socket) => unknown)[] = [
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.write(good),
    (socket) => socket.end(),
    (socket) => socket.write(good),
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.write(good),
    (socket) => socket.end(ok),
  ];
  const { get, sockets } = await talk(t, (socket, request) => fates[request - 1]?.(socket));
  const wasIdle: (boolean | undefined)[] = [];
  for (const _ of fates) {
    const answer = await get();
    wasIdle.push(answer instanceof FetchFailure ? answer.wasIdle : undefined);
  }
  assert.deepEqual(wasIdle, [false, undefined, true, undefined, true, undefined, false]);
  assert.equal(sockets.length, 4);
});

test('no more connections are opened than allowed; the other requests wait', async (t) => {
  const waiting: Socket[] = [];
  const { get, sockets } = await talk(t, (socket) => {
    waiting.push(socket);
    if (waiting.length < 2) return;
    for (const each of waiting.splice(0)) each.write(`${ok}Content-Length: 2\r\n\r\nok`);
  });
  const answers = await Promise.all(Array.from({ length: 6 }, () => get()));
  assert.deepEqual(answers.map(outcome), new Array(6).fill('200 ok'));
  assert.equal(sockets.length, 2);
});

test('what is too long is cut, what is too slow or breaks off is a failure that may pass', async (t) => {
  const { get } = await talk(t, (socket, request) => {
    if (request === 1) socket.write(`${inChunks}800\r\n${'x'.repeat(2_048)}`);
    if (request === 2) socket.end(`${ok}Content-Length: 50\r\n\r\nhello`);
    if (request === 3) socket.resetAndDestroy();
  });
  const long = await get();
  assert.ok(!(long instanceof FetchFailure) && long.isCut);
  assert.equal(long.body.length, 1_000);
  const half = (socket: Socket) => void socket.write(`${ok}Content-Length: 50\r\n\r\nhello`);
  const slow = await talk(t, half, { timeoutMs: 200 });
  const failures = [await get(), await get(), await slow.get()];
  assert.deepEqual(failures.map(outcome), ['connection lost', 'connection lost', 'timeout']);
  assert.ok(failures.every((each) => each instanceof FetchFailure && each.isTemporary));
});

test('of a compressed page that is cut, the beginning is read', async (t) => {
  const page = Array.from({ length: 5_000 }, (_, line) => hash('sha256', `${line}`)).join('\n');
  const compressed: [string, Buffer][] = [
    ['gzip', gzipSync(page)],
    ['br', brotliCompressSync(page, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
    ['zstd', zstdCompressSync(page)],
    ['deflate', deflateSync(page)],
    ['deflate', deflateRawSync(page)],
  ];
  let next = 0;
  const answer = (socket: Socket) => {
    const [name, bytes] = compressed[next++] ?? [];
    socket.end(
      Buffer.concat([Buffer.from(`${ok}Content-Encoding: ${name}\r\n\r\n`), bytes ?? Buffer.alloc(0)]),
    );
  };
  const { get } = await talk(t, answer, { limitBytes: 100_000 });
  for (const [name, { length }] of compressed) {
    const cut = await get();
    assert.ok(!(cut instanceof FetchFailure) && cut.isCut && length > 100_000, name);
    assert.ok(cut.body.length > 50_000 && page.startsWith(cut.body.toString()), name);
  }
});
