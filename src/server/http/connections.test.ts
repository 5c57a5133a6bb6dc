import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { ManualClock } from '../../engine/time/clock.ts';
import { connectRaw } from '../testing/raw-connection.ts';
import { runServer } from '../testing/running-server.ts';
import { mostPipelined } from './pipelined-requests.ts';
import { stalledMs } from './stalled-readers.ts';

test('one address can open only so many connections, and gets new ones when it closes some', async (t) => {
  const server = await runServer(t, { http: { connectionsPerAddress: 3 } });
  const open = await Promise.all(Array.from({ length: 3 }, () => connectRaw(server, t)));
  for (const client of open) client.head('GET /api/v1/health');
  for (const client of open) assert.equal(await client.status(), 200);
  const refused = await connectRaw(server, t);
  assert.equal(await refused.status(), 503);
  assert.match(refused.heard(), /retry-after: 5\r\n[\s\S]*"code":"unavailable"/);
  await refused.closed();
  // What an address claims about itself changes nothing.
  const liar = await connectRaw(server, t);
  liar.head('GET /api/v1/health', { 'x-forwarded-for': '203.0.113.9' });
  assert.equal(await liar.status(), 503);
  open[0]?.socket.destroy();
  await eventually('there is room again', async () => {
    const next = await connectRaw(server, t);
    next.head('GET /api/v1/health', { connection: 'close' });
    return (await next.status()) === 200;
  });
});

test('all addresses together can open only so many connections', async (t) => {
  const server = await runServer(t, { http: { connections: 2, trustProxy: true } });
  const open = [await connectRaw(server, t), await connectRaw(server, t)];
  for (const client of open) {
    client.head('GET /api/v1/health');
    assert.equal(await client.status(), 200);
  }
  assert.equal(await (await connectRaw(server, t)).status(), 503);
});

test('a client may send some requests ahead, but not so many that others wait for them', async (t) => {
  const server = await runServer(t, {});
  const request = 'GET /api/v1/health HTTP/1.1\r\nhost: a\r\n\r\n';
  const answers = (heard: string) => heard.split('HTTP/1.1 200').length - 1;
  const patient = await connectRaw(server, t);
  patient.socket.write(request.repeat(mostPipelined));
  await eventually('all are answered', () => answers(patient.heard()) === mostPipelined);
  patient.socket.write(request);
  await eventually('and the next one too', () => answers(patient.heard()) === mostPipelined + 1);
  const greedy = await connectRaw(server, t);
  greedy.socket.write(request.repeat(2000));
  await greedy.closed();
  assert.ok(answers(greedy.heard()) <= mostPipelined);
});

test('behind a trusted proxy each client has a limit of its own', async (t) => {
  const server = await runServer(t, { http: { connectionsPerAddress: 2, trustProxy: true } });
  const { key } = await server.signUp('anna', 'user');
  const upload = async (client: string) => {
    const connection = await connectRaw(server, t);
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': client, expect: '100-continue' };
    connection.head('POST /api/v1/blobs', { ...headers, 'content-length': 1, 'content-type': 'x/y' });
    return { connection, status: await connection.status() };
  };
  const answers = [];
  for (const client of ['203.0.113.1', '203.0.113.1', '203.0.113.1', '203.0.113.2'])
    answers.push(await upload(client));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [100, 100, 429, 100],
  );
  for (const { connection } of answers) connection.socket.destroy();
});

test('X-Forwarded-For of an address that is not a trusted proxy is ignored', async (t) => {
  const http = { trustProxy: true, proxyAddresses: ['10.0.0.0/8'], requestsPerMinute: 2 };
  const server = await runServer(t, { http });
  const ask = (client: string) =>
    server.send('GET', '/api/v1/health', { headers: { 'x-forwarded-for': client } });
  const answers = [await ask('203.0.113.1'), await ask('203.0.113.2'), await ask('203.0.113.3')];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 429],
  );
});

test('a client that does not read its answer is cut off, and one that is merely waiting is not', async (t) => {
  const clock = new ManualClock();
  const server = await runServer(t, { clock });
  const { key } = await server.signUp('anna', 'user');
  const headers = { authorization: `Bearer ${key}` };
  const { hash } = (await server.send('POST', '/api/v1/blobs', { headers, body: new Uint8Array(30_000_000) }))
    .body;
  await server.engine.stages.create({ name: 'ocr', processor: 'dummy' }, 'test');
  const files = [{ name: 'page.png', blob: hash }];
  await server.call('request.submit', { stages: ['ocr', 'out'], files }, { key });
  const [message] = await server.engine.broker.peek('ocr');
  await server.engine.broker.publish('anna/out', { id: 'one', body: message?.body ?? new Uint8Array() });
  let receipt = '';
  const taking = server.call('results.take', { queue: 'out', waitMs: 1000 }, { key }).then(({ body }) => {
    receipt = body.results[0].receipt;
  });
  await eventually('the result', async () => {
    clock.advance(100);
    return receipt !== '';
  });
  await taking;

  const deaf = await connectRaw(server, t);
  deaf.socket.pause();
  deaf.head(`GET /api/v1/results/${receipt}/blobs/${hash}`, headers);
  const idle = await connectRaw(server, t);
  idle.head('GET /api/v1/changes', headers);
  assert.equal(await idle.status(), 200);
  await eventually('the deaf one is cut off', async () => {
    clock.advance(stalledMs);
    return deaf.isCutOff();
  });
  assert.equal(server.liveConnections(), 1);
});

test('too many headers, and too large ones, are refused', async (t) => {
  const server = await runServer(t);
  const many = await connectRaw(server, t);
  many.head('GET /api/v1/health', Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`x-${n}`, n])));
  assert.equal(await many.status(), 400);
  const large = await connectRaw(server, t);
  large.head('GET /api/v1/health', { cookie: 'x'.repeat(20_000) });
  assert.equal(await large.status(), 413);
  assert.match(large.heard(), /"code":"too-large"/);
  await large.closed();
});
