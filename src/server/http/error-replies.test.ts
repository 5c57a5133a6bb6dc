import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { defineOperation } from '../../engine/operation/operation.ts';
import { callsOf, operationsOf } from '../operations.ts';
import { runServer } from '../testing/running-server.ts';

const json = { 'content-type': 'application/json' };
const login = '/api/v1/session/login';

test('every refusal has a stable code, also those of the HTTP layer', async (t) => {
  const server = await runServer(t, { http: { bodyLimitMb: 0.001 } });
  const post = (body: string, headers: Record<string, string> = json) =>
    server.send('POST', login, { body, headers });
  const cases: [Promise<{ status: number; body: { error: { code: string } } }>, number, string][] = [
    [server.send('GET', '/api/v1/nothing'), 404, 'not-found'],
    [server.send('DELETE', '/api/v1/stage/ls'), 404, 'not-found'],
    [server.send('GET', login), 404, 'not-found'],
    [server.send('GET', '/api/v1/%zz'), 400, 'invalid-input'],
    [post('{'), 400, 'invalid-input'],
    [post(''), 400, 'invalid-input'],
    [post('null'), 400, 'invalid-input'],
    [post('[]'), 400, 'invalid-input'],
    [post('name=anna', { 'content-type': 'application/x-www-form-urlencoded' }), 400, 'invalid-input'],
    [post('{}', { 'content-type': 'text/plain' }), 400, 'invalid-input'],
    [post('{"name":"a","password":"b","__proto__":{"role":"admin"}}'), 400, 'invalid-input'],
    [post('{"name":"a","password":"b","constructor":{"prototype":{"role":"admin"}}}'), 400, 'invalid-input'],
    [post(JSON.stringify({ name: 'x'.repeat(2000) })), 413, 'too-large'],
  ];
  for (const [answer, status, code] of cases) {
    const { status: actual, body } = await answer;
    assert.deepEqual([actual, body.error.code], [status, code], JSON.stringify(body));
  }
});

test('no stack trace, path or driver text ever goes out', async (t) => {
  const broken = defineOperation({
    name: 'test.break',
    summary: 'Fails in a way nobody foresaw',
    role: 'public',
    owner: 'none',
    changes: false,
    input: z.object({ how: z.string() }),
    output: z.strictObject({}),
    example: { how: 'throw' },
    async handler({ engine }, { how }) {
      if (how === 'database')
        await engine.database.query
          .selectFrom('nothing' as 'secret')
          .selectAll()
          .execute();
      throw new TypeError('Cannot read properties of undefined');
    },
  });
  const server = await runServer(t, { operations: [broken] });
  for (const how of ['throw', 'database']) {
    const { status, text, body } = await server.call('test.break', { how });
    assert.equal(status, 500);
    assert.match(body.error.message, /the log has the details under [0-9a-f-]{36}$/);
    assert.doesNotMatch(text, /TypeError|properties|no such table|SQLITE|\.ts|node_modules|at /i);
  }
  const malformed = await server.call('stage.show', { name: { toString: 1 } }, { key: server.localToken });
  assert.doesNotMatch(malformed.text, /\.ts|node_modules|ZodError/);
});

test('an answer and the log repeat only a little of what was sent', async (t) => {
  const server = await runServer(t, { http: { requestsPerMinute: 100_000 }, logLevel: 'trace' });
  const { key } = await server.signUp('root', 'admin');
  const long = 'x'.repeat(100_000);
  const manyKeys = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`unknown-${index}`, 1]));
  for (const { name, changes, example } of callsOf(operationsOf(server.engine.houses))) {
    const fields = Object.keys(example as object);
    const inputs = changes
      ? [
          { ...(example as object), [long]: 1, other: long },
          manyKeys,
          Object.fromEntries(fields.map((field) => [field, long])),
          Object.fromEntries(fields.map((field) => [field, Array(5_000).fill('y')])),
        ]
      : [
          { ['q'.repeat(5000)]: 'v'.repeat(5000) },
          Object.fromEntries(fields.map((field) => [field, 'z'.repeat(9000)])),
        ];
    for (const input of inputs) {
      const { status, text } = await server.call(name, input, { key });
      if (status >= 400) assert.ok(text.length < 6000, `${name}: ${text.length} characters`);
    }
  }
  const log = await readFile(join(server.engine.directory.path, 'logs', 'pismak.log'), 'utf8');
  const longest = Math.max(...log.split('\n').map(({ length }) => length));
  assert.ok(longest < 20_000, `a line of ${longest} characters`);
});

test('a failure that nobody foresaw fills neither the answer nor the log', async (t) => {
  const broken = defineOperation({
    name: 'test.break',
    summary: 'Fails',
    role: 'public',
    owner: 'none',
    changes: true,
    input: z.object({ text: z.string() }),
    output: z.strictObject({}),
    example: { text: '' },
    bodyLimit: 2 ** 20,
    async handler(_context, { text }) {
      throw new TypeError(`no such thing: ${text}`);
    },
  });
  const server = await runServer(t, { operations: [broken], logLevel: 'info' });
  const { status, text } = await server.call('test.break', { text: 'x'.repeat(900_000) });
  assert.deepEqual([status, text.length < 1000], [500, true]);
  const log = await readFile(join(server.engine.directory.path, 'logs', 'pismak.log'), 'utf8');
  assert.match(log, /no such thing: xxx/);
  assert.ok(log.length < 20_000, `${log.length} characters`);
});

test('what is not HTTP is answered with an error and the connection is closed', async (t) => {
  const server = await runServer(t);
  const socket = connect(Number(new URL(server.localUrl).port), '127.0.0.1');
  socket.setEncoding('utf8');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write('\x16\x03\x01 what is this\r\n\r\n');
  await once(socket, 'close');
  assert.match(answer, /^HTTP\/1.1 400 /);
  assert.match(answer, /"code":"invalid-input"/);
});

test('answers carry headers that keep browsers safe, and none that tell what runs here', async (t) => {
  const server = await runServer(t);
  for (const path of ['/api/v1/health', '/docs', '/setup', '/api/v1/nothing', '/api/v1/stage/ls']) {
    const { headers } = await server.send('GET', path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('x-frame-options'), 'DENY');
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('server'), null);
    assert.equal(headers.get('x-powered-by'), null);
    assert.equal(headers.get('access-control-allow-origin'), null);
  }
});

test('a port that is taken is named, with what to do', async (t) => {
  const server = await runServer(t);
  const port = Number(new URL(server.localUrl).port);
  await assert.rejects(runServer(t, { http: { port } }), {
    code: 'unavailable',
    message: `can't listen on 127.0.0.1:${port}: another program uses it; choose another with http.port`,
  });
  // An address of documentation, which no machine has.
  await assert.rejects(runServer(t, { http: { host: '192.0.2.1' } }), /choose another with http\.host/);
});
