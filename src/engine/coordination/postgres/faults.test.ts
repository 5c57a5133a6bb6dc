import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openPostgresPool } from '../../database/postgres/pool.ts';
import { hasCode } from '../../ground/errors.ts';
import { startProgram } from '../../testing/child-program.ts';
import { eventually } from '../../testing/eventually.ts';
import { type PostgresServer, startPostgres } from '../../testing/servers/postgres.ts';
import type { CoordinationSource } from '../open.ts';
import { openPostgresCoordination } from '../postgres.ts';

async function start(
  t: TestContext,
  options: { standby?: boolean; tls?: boolean } = {},
): Promise<PostgresServer> {
  const server = await startPostgres(options);
  t.after(() => server.close());
  return server;
}

async function open(t: TestContext, url: string, sessionTimeoutMs = 10_000): Promise<CoordinationSource> {
  const tree = await openPostgresCoordination({ url, sessionTimeoutMs });
  t.after(() => tree.close());
  return tree;
}

test('when a process is killed or suspended, its nodes vanish, its hold passes on and its late writes are refused', async (t) => {
  const { url } = await start(t);
  const tree = await open(t, url, 1500);
  const session = await tree.openSession('watcher');
  const here: string[] = [];
  session.watchChildren('/here', (nodes) => here.push(nodes.map(({ name }) => name).join()));
  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    const program = startProgram(t, 'lead-in-postgres', [url, '1500']);
    const fence = Number(await program.line());
    await eventually('it is seen', () => here.at(-1) === 'program');
    const began = performance.now();
    process.kill(program.pid, signal);
    const hold = await session.hold('/leader', 'watcher');
    t.diagnostic(
      `${signal}: taken over after ${(performance.now() - began).toFixed(0)} ms, sessions last 1500 ms`,
    );
    assert.ok(hold.fence > fence);
    await eventually('its node is gone', () => here.at(-1) === '');
    const stale = { ...hold, fence };
    await assert.rejects(session.set('/plan', 'late', { under: stale }), (error) =>
      hasCode(error, 'hold-lost'),
    );
    await hold.release();
    await program.kill();
  }
});

test('a watch reports the writes of another process, and a hold passes between processes', async (t) => {
  const { url } = await start(t);
  const [one, other] = [await open(t, url), await open(t, url)];
  const [writer, watcher] = [await one.openSession('writer'), await other.openSession('watcher')];
  let seen: string | undefined;
  watcher.watch('/plan', (node) => {
    seen = node?.value;
  });
  const first = await writer.hold('/leader', 'writer');
  const next = watcher.hold('/leader', 'watcher');
  await writer.set('/plan', 'first', { under: first });
  await eventually('the watch reports it', () => seen === 'first');
  await first.release();
  const second = await next;
  assert.ok(second.fence > first.fence);
  await assert.rejects(writer.set('/plan', 'late', { under: first }), (error) => hasCode(error, 'hold-lost'));
});

for (const standby of [false, true]) {
  const what = standby
    ? 'the primary is killed and its standby promoted'
    : 'the server crashes and comes back';
  test(`when ${what}, sessions, holds and watches go on`, async (t) => {
    const server = await start(t, { standby });
    const [one, other] = [await open(t, server.url), await open(t, server.url)];
    const [leader, follower] = [await one.openSession('leader'), await other.openSession('follower')];
    await leader.create('/here/leader', 'alive', { ephemeral: true });
    const hold = await leader.hold('/leader', 'leader');
    const waiting = follower.hold('/leader', 'follower');
    let plan: string | undefined;
    follower.watch('/plan', (node) => {
      plan = node?.value;
    });
    await leader.set('/plan', 'before', { under: hold });
    await eventually('the watch reports it', () => plan === 'before');

    await server.primary.kill();
    const killed = performance.now();
    await assert.rejects(leader.set('/plan', 'lost'), (error) => hasCode(error, 'unavailable'));
    await (server.standby ? server.standby.promote() : server.primary.start());
    const there = performance.now();
    await eventually('writes go on', () =>
      leader.set('/plan', 'after', { under: hold }).catch(() => undefined),
    );
    const [ours, total] = [performance.now() - there, performance.now() - killed];
    t.diagnostic(
      `writing ${ours.toFixed(0)} ms after there was a server, ${total.toFixed(0)} ms after the kill`,
    );
    await eventually('the watch goes on', () => plan === 'after');
    assert.deepEqual([leader.lost.aborted, hold.lost.aborted], [false, false]);
    assert.equal((await follower.get('/here/leader'))?.value, 'alive');
    await hold.release();
    assert.ok((await waiting).fence > hold.fence);
  });
}

test('a process that cannot reach the server for the session timeout knows that its session is lost', async (t) => {
  const server = await start(t);
  const tree = await open(t, server.url, 1500);
  const session = await tree.openSession('lonely');
  const hold = await session.hold('/leader', 'lonely');
  await server.primary.kill();
  await eventually('it knows', () => session.lost.aborted && hold.lost.aborted);
  await assert.rejects(session.get('/a'), (error) => hasCode(error, 'session-lost'));
});

test('with TLS the connection is encrypted', async (t) => {
  const server = await start(t, { tls: true });
  const session = await (await open(t, server.url)).openSession('one');
  await session.set('/a', '1');
  const pool = await openPostgresPool({ url: server.url, max: 1 });
  t.after(() => pool.close());
  const { rows } = await pool.query<{ ssl: boolean }>(
    "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE backend_type = 'client backend'",
  );
  assert.ok(rows.length >= 2 && rows.every(({ ssl }) => ssl), JSON.stringify(rows));
});
