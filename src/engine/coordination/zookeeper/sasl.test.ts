import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { startZookeeper, type ZookeeperEnsemble } from '../../testing/servers/zookeeper.ts';
import { openZookeeperCoordination } from '../zookeeper.ts';

let ensemble: ZookeeperEnsemble;
before(async () => {
  ensemble = await startZookeeper({ size: 1, sasl: { pismak: 'top secret', other: 'other secret' } });
});
after(() => ensemble.close());

async function open(t: TestContext, user: string, query = '') {
  const hosts = ensemble.servers.map(({ address }) => address).join(',');
  const tree = await openZookeeperCoordination({
    url: `zookeeper://${user}${hosts}/secured${query}`,
    sessionTimeoutMs: 12_000,
  });
  t.after(() => tree.close());
  return tree.openSession('first');
}

test('servers that demand SASL are used by a user that they know, and the nodes are closed to others', async (t) => {
  const session = await open(t, 'pismak:top%20secret@');
  await session.set('/plan', 'ours');
  await session.create('/present', 'here', { ephemeral: true });
  const hold = await session.hold('/leader', 'me');
  await session.set('/plan', 'still ours', { under: hold });
  const same = await open(t, 'pismak:top%20secret@', '?sasl=true');
  assert.equal((await same.get('/plan'))?.value, 'still ours');
  const stranger = await open(t, 'other:other%20secret@');
  await assert.rejects(stranger.get('/plan'), { code: 'forbidden' });
});

test('a session survives a broken connection to servers that demand SASL', async (t) => {
  const session = await open(t, 'pismak:top%20secret@');
  await session.set('/before', 'x');
  await ensemble.servers[0]?.kill();
  await ensemble.servers[0]?.start();
  assert.equal((await session.get('/before'))?.value, 'x');
  assert.equal(session.lost.aborted, false);
});

test('without a user, or with a wrong one, the refusal says that it is about SASL', async (t) => {
  await assert.rejects(open(t, ''), { code: 'forbidden', message: /demands authentication by SASL.*user/ });
  for (const user of ['pismak:wrong@', 'nobody:x@'])
    await assert.rejects(open(t, user), { code: 'forbidden', message: /refuses the credentials.*SASL/ });
});
