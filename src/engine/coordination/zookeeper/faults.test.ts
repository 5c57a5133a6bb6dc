import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../testing/eventually.ts';
import { openGate } from '../../testing/servers/gate.ts';
import {
  startZookeeper,
  type ZookeeperEnsemble,
  type ZookeeperServer,
} from '../../testing/servers/zookeeper.ts';
import { systemClock } from '../../time/clock.ts';
import type { Coordination } from '../coordination.ts';
import { code } from '../testing/contract/claim.ts';
import { openZookeeperCoordination } from '../zookeeper.ts';
import { readAddress } from './address.ts';
import { ZookeeperClient } from './client.ts';
import { getChildren } from './requests.ts';

const sessionTimeoutMs = 6000;
const removeZnode = fileURLToPath(new URL('../../testing/programs/remove-znode.ts', import.meta.url));
let ensemble: ZookeeperEnsemble;
let roots = 0;

before(async () => {
  ensemble = await startZookeeper();
});
after(() => ensemble.close());

/** A tree for one test, or the one at `root`. Sessions start with the first server. */
async function openTree(context: TestContext, servers: { address: string }[], root = `/faults/${++roots}`) {
  const url = `zookeeper://${servers.map(({ address }) => address).join(',')}${root}`;
  const reported: unknown[] = [];
  const report = (error: unknown) => reported.push(error);
  const tree = await openZookeeperCoordination({ url, sessionTimeoutMs, random: () => 0, report });
  context.after(() => tree.close());
  return { openSession: (identity: string) => tree.openSession(identity), url, root, reported };
}

/** A tree, and the same tree over connections that can be broken. */
async function openTreeTwice(context: TestContext) {
  const straight = await openTree(context, ensemble.servers);
  const { servers } = await readAddress(straight.url);
  const gates = await Promise.all(servers.map((server) => openGate(server)));
  const throughGates = await openTree(context, gates, straight.root);
  context.after(async () => {
    await Promise.all(gates.map((gate) => gate.close()));
  });
  return { straight, throughGates, gates };
}

async function findLeader(): Promise<{ leader: ZookeeperServer; followers: ZookeeperServer[] }> {
  return eventually('there is a leader', async () => {
    const are = await Promise.all(ensemble.servers.map((server) => server.isLeader()));
    const leader = ensemble.servers[are.indexOf(true)];
    // A leader deposed while it hung does not know it at once.
    return (
      leader &&
      are.indexOf(true) === are.lastIndexOf(true) && {
        leader,
        followers: ensemble.servers.filter((server) => server !== leader),
      }
    );
  });
}

/** Gives a session everything it can have, and returns a check that it still has it. */
async function settle(session: Coordination) {
  await session.create('/here', 'alive', { ephemeral: true });
  const hold = await session.hold('/leader', 'me');
  let seen: string | undefined;
  session.watch('/news', (node) => {
    seen = node?.value;
  });
  return async () => {
    assert.equal(session.lost.aborted, false);
    assert.equal(hold.lost.aborted, false);
    assert.equal((await session.get('/here'))?.value, 'alive');
    assert.equal((await session.holder('/leader'))?.fence, hold.fence);
    await session.set('/checked', 'yes', { under: hold });
    const news = String(performance.now());
    await session.set('/news', news);
    await eventually('the watch goes on', () => seen === news);
  };
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return Math.round(performance.now() - began);
}

for (const connectedTo of ['leader', 'follower'] as const) {
  test(`when the leader is killed, a session connected to the ${connectedTo} goes on`, async (context) => {
    const { leader, followers } = await findLeader();
    const order = connectedTo === 'leader' ? [leader, ...followers] : [...followers, leader];
    const { openSession } = await openTree(context, order);
    const session = await openSession('first');
    const check = await settle(session);
    await leader.kill();
    const tookMs = await millisecondsOf(() => session.set('/a', 'again'));
    await check();
    context.diagnostic(`leader killed: first write after ${tookMs} ms (connected to the ${connectedTo})`);
    await leader.start();
  });

  test(`when the ${connectedTo} it is connected to hangs, a session moves to another server`, async (context) => {
    const { leader, followers } = await findLeader();
    const order = connectedTo === 'leader' ? [leader, ...followers] : [...followers, leader];
    const { openSession } = await openTree(context, order);
    const session = await openSession('first');
    const check = await settle(session);
    order[0]?.signal('SIGSTOP');
    try {
      const tookMs = await millisecondsOf(() => session.set('/a', 'again'));
      await check();
      context.diagnostic(
        `${connectedTo} hangs: first write after ${tookMs} ms (time-out ${sessionTimeoutMs} ms)`,
      );
    } finally {
      order[0]?.signal('SIGCONT');
    }
  });
}

test('a holder that is cut off knows that it lost everything, and another takes over', async (context) => {
  const { straight, throughGates, gates } = await openTreeTwice(context);
  const [old, next] = [await throughGates.openSession('old'), await straight.openSession('next')];
  const held = await old.hold('/leader', 'old');
  await old.create('/here', 'x', { ephemeral: true });
  const waiting = next.hold('/leader', 'next');
  const began = performance.now();
  for (const gate of gates) gate.shut();
  const late = old.set('/plan', 'late', { under: held });
  await assert.rejects(late, code('session-lost'));
  const toldMs = Math.round(performance.now() - began);
  assert.ok(old.lost.aborted && held.lost.aborted);
  const hold = await waiting;
  const tookMs = Math.round(performance.now() - began);
  assert.ok(hold.fence > held.fence);
  await next.set('/plan', 'next', { under: hold });
  for (const gate of gates) gate.open();
  assert.equal(await next.get('/here'), undefined);
  assert.equal((await next.get('/plan'))?.value, 'next');
  context.diagnostic(`cut off: it knew after ${toldMs} ms, the next one held after ${tookMs} ms`);
});

test('a holder that slept while it lost its place is refused by the servers and learns of it', async (context) => {
  const { openSession, url } = await openTree(context, ensemble.servers);
  const address = await readAddress(url);
  const session = await openSession('first');
  const hold = await session.hold('/leader', 'me');
  const client = await ZookeeperClient.open({
    address,
    clock: systemClock,
    random: () => 0,
    sessionTimeoutMs,
  });
  const queue = `${address.root}/!leader`;
  const [place] = await client.request(getChildren(queue, false));
  await client.close();
  // This blocks the process, so it cannot know yet.
  execFileSync(process.execPath, [removeZnode, url, `${queue}/${place}`]);
  assert.equal(hold.lost.aborted, false);
  await assert.rejects(session.set('/plan', 'late', { under: hold }), code('hold-lost'));
  await eventually('it knows', () => hold.lost.aborted);
  await hold.release();
  assert.equal(await session.get('/plan'), undefined);
});

test('broken connections repeat or lose no request', async (context) => {
  const { straight, throughGates, gates } = await openTreeTwice(context);
  const session = await throughGates.openSession('shaky');
  const witness = await straight.openSession('witness');
  const seen = new Map<string, string>();
  session.watchChildren('/n', (nodes) => {
    seen.clear();
    for (const { name, value } of nodes) seen.set(name, value);
  });
  await session.create('/counter', '0');
  let [certain, unsure] = [0, 0];
  for (let round = 0; round < 40; round++) {
    const present = session.create(`/present/${round}`, 'x', { ephemeral: true });
    const held = session.hold('/leader', `round ${round}`);
    const counter = await session.get('/counter');
    const next = String(Number(counter?.value) + 1);
    const counted = session.set('/counter', next, { version: counter?.version ?? 0 }).then(
      () => certain++,
      (error: unknown) => {
        assert.ok(code('unavailable')(error), String(error));
        unsure++;
      },
    );
    // At a different moment each time.
    if (round % 2) await witness.set(`/n/${round % 7}`, String(round));
    for (const gate of gates) gate.cut();
    await witness.set(`/n/${round % 5}`, String(round));
    const hold = await held;
    assert.equal((await witness.holder('/leader'))?.fence, hold.fence);
    await hold.release();
    assert.equal((await present).ephemeral, true);
    await counted;
  }
  const total = Number((await witness.get('/counter'))?.value);
  assert.ok(
    total >= certain && total <= certain + unsure,
    `${certain} <= ${total} <= ${certain} + ${unsure}`,
  );
  assert.equal(await witness.holder('/leader'), undefined, 'no place in the queue is left behind');
  assert.equal((await witness.children('/present')).length, 40);
  const expected = new Map((await witness.children('/n')).map(({ name, value }) => [name, value]));
  await eventually('the watch has the last state', () => {
    return expected.size === seen.size && [...expected].every(([name, value]) => seen.get(name) === value);
  });
  assert.deepEqual(throughGates.reported, []);
  context.diagnostic(`40 cuts: ${certain} writes confirmed, ${unsure} of unknown outcome, ${total} done`);
});

test('200 sessions open at once, see each other and close', async (context) => {
  const { openSession } = await openTree(context, ensemble.servers);
  const watcher = await openSession('watcher');
  let present = 0;
  watcher.watchChildren('/crowd', (nodes) => {
    present = nodes.length;
  });
  const sessions: Coordination[] = [];
  const tookMs = await millisecondsOf(async () => {
    const names = Array.from({ length: 200 }, (_, index) => `w${index}`);
    sessions.push(...(await Promise.all(names.map(openSession))));
    await Promise.all(
      sessions.map((session, index) => session.create(`/crowd/w${index}`, 'x', { ephemeral: true })),
    );
    await eventually('all are seen', () => present === 200);
  });
  const goneMs = await millisecondsOf(async () => {
    await Promise.all(sessions.map((session) => session.close()));
    await eventually('all are gone', () => present === 0);
  });
  context.diagnostic(`200 sessions: opened and seen in ${tookMs} ms, closed and gone in ${goneMs} ms`);
});

test('when no server answers, the error names the servers and does not repeat the password', async () => {
  const gate = await openGate({ host: '127.0.0.1', port: 9 });
  const tree = await openZookeeperCoordination({
    url: `zookeeper://me:top-secret@${gate.address}/x`,
    sessionTimeoutMs: 300,
  });
  await assert.rejects(tree.openSession('first'), (error) => {
    assert.ok(code('unavailable')(error) && error instanceof Error);
    assert.ok(error.message.includes(gate.address), error.message);
    assert.ok(!error.message.includes('top-secret'), error.message);
    return true;
  });
  await tree.close();
  await gate.close();
});
