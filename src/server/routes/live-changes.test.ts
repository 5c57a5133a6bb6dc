import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { ManualClock } from '../../engine/time/clock.ts';
import { followChanges } from '../testing/event-stream.ts';
import { passwordOf, runServer } from '../testing/running-server.ts';
import { liveLimits } from './live-changes.ts';

test('a client hears of changes as they happen, and of those it missed when it comes back', async (t) => {
  const server = await runServer(t);
  const { changes } = server.engine;
  const { key } = await server.signUp('anna', 'reader');
  const first = await followChanges(server, { key });
  assert.equal((await first.next())?.event, 'ready');
  changes.add({ kind: 'stage', entity: 'one' });
  const seen = await first.next();
  assert.deepEqual([seen?.event, seen?.data.entity], ['change', 'one']);
  await first.close();

  changes.add({ kind: 'stage', entity: 'two' });
  changes.add({ kind: 'stage', entity: 'three' });
  const second = await followChanges(server, { key, lastEventId: seen?.id ?? 0 });
  assert.deepEqual((await second.next())?.id, seen?.id);
  assert.deepEqual(
    [(await second.next())?.data.entity, (await second.next())?.data.entity],
    ['two', 'three'],
  );
  changes.add({ kind: 'stage', entity: 'four' });
  assert.equal((await second.next())?.data.entity, 'four');
  await second.close();
});

test('a client that was away for too long must read everything again', async (t) => {
  const server = await runServer(t);
  const { key } = await server.signUp('anna', 'reader');
  const { changes } = server.engine;
  const start = changes.lastId;
  for (let count = 0; count <= liveLimits.replayed; count++) changes.add({ kind: 'stage', entity: 'busy' });
  for (const lastEventId of [start, 1, changes.lastId + 1000]) {
    const stream = await followChanges(server, { key, lastEventId });
    const event = await stream.next();
    assert.deepEqual([event?.event, event?.id], ['reset', changes.lastId]);
    changes.add({ kind: 'stage', entity: 'after' });
    assert.equal((await stream.next())?.data.entity, 'after');
    await stream.close();
  }
});

test('a client needs to be signed in, and a number it saw must be a number', async (t) => {
  const server = await runServer(t);
  const { key } = await server.signUp('anna', 'reader');
  assert.equal((await followChanges(server, {})).status, 401);
  for (const lastEventId of ['x', '-1', '1e99']) {
    assert.equal((await followChanges(server, { key, lastEventId })).status, 400);
  }
});

test('only the owner and administrators see changes of owned things', async (t) => {
  const server = await runServer(t);
  const [anna, bert, admin] = await Promise.all([
    server.signUp('anna', 'user'),
    server.signUp('bert', 'user'),
    server.signUp('root', 'admin'),
  ]);
  const streams = await Promise.all([anna, bert, admin].map(({ key }) => followChanges(server, { key })));
  for (const stream of streams) await stream.next();
  server.engine.changes.add({ kind: 'queue', entity: 'annas-results', owner: 'anna' });
  server.engine.changes.add({ kind: 'stage', entity: 'for-all' });
  const heard = await Promise.all(streams.map(async (stream) => (await stream.next())?.data.entity));
  assert.deepEqual(heard, ['annas-results', 'for-all', 'annas-results']);
  for (const stream of streams) await stream.close();
});

test('the stream of a user who is disabled ends at once, and so does that of a session that signs out', async (t) => {
  const server = await runServer(t);
  const admin = await server.signUp('root', 'admin');
  const anna = await server.signUp('anna', 'reader');
  const login = await server.call('session.login', { name: 'anna', password: passwordOf('anna') });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const bySession = await followChanges(server, { cookie });
  const byKey = await followChanges(server, { key: anna.key });
  const headers = { origin: server.url };
  assert.equal((await server.call('session.logout', {}, { cookie, headers })).status, 200);
  await untilEnd(bySession);
  await server.call('user.disable', { name: 'anna' }, admin);
  await untilEnd(byKey);
});

test('a silent stream is kept alive by comments', async (t) => {
  const clock = new ManualClock();
  const server = await runServer(t, { clock });
  const { key } = await server.signUp('anna', 'reader');
  const stream = await followChanges(server, { key });
  await stream.next();
  clock.advance(liveLimits.heartbeatMs);
  server.engine.changes.add({ kind: 'stage', entity: 'one' });
  await stream.next();
  assert.equal(stream.comments(), 1);
  await stream.close();
});

test('a client that does not read is cut off before it fills the memory, and others go on', async (t) => {
  const server = await runServer(t);
  const { key } = await server.signUp('anna', 'reader');
  const { port } = new URL(server.localUrl);
  const deaf = connect(Number(port), '127.0.0.1');
  deaf.write(`GET /api/v1/changes HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`);
  await once(deaf, 'readable');
  deaf.on('error', () => {});
  const good = await followChanges(server, { key });
  await good.next();
  let added = 0;
  await eventually('the deaf client is cut off', async () => {
    for (let count = 0; count < 20; count++) {
      server.engine.changes.add({ kind: 'stage', entity: `${added++}`, data: { text: 'x'.repeat(10_000) } });
    }
    for (let count = 0; count < 20; count++) await good.next();
    return server.liveConnections() === 1;
  });
  server.engine.changes.add({ kind: 'stage', entity: 'last' });
  assert.equal((await good.next())?.data.entity, 'last');
  await good.close();
  deaf.destroy();
});

test('nobody can take all the connections', async (t) => {
  const server = await runServer(t);
  const [anna, bert] = [await server.signUp('anna', 'reader'), await server.signUp('bert', 'reader')];
  const streams = await Promise.all(
    Array.from({ length: liveLimits.connectionsPerCaller }, () => followChanges(server, anna)),
  );
  assert.equal((await followChanges(server, anna)).status, 429);
  assert.equal((await followChanges(server, bert)).status, 200);
  await streams[0]?.close();
  await eventually('there is room again', async () => (await followChanges(server, anna)).status === 200);
});

async function untilEnd(stream: Awaited<ReturnType<typeof followChanges>>): Promise<void> {
  while (await stream.next());
}
