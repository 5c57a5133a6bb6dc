import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { hasCode } from '../../ground/errors.ts';
import { eventually } from '../../testing/eventually.ts';
import { startZookeeper, type ZookeeperEnsemble } from '../../testing/servers/zookeeper.ts';
import { code } from '../testing/contract/claim.ts';
import { openZookeeperCoordination } from '../zookeeper.ts';

let ensemble: ZookeeperEnsemble;

before(async () => {
  ensemble = await startZookeeper({ size: 1, tls: true });
});
after(() => ensemble.close());

interface Options {
  user?: string;
  authority?: string;
  scheme?: string;
  root?: string;
  report?: (error: unknown) => void;
}

/** A session on the ensemble, which speaks only TLS. */
async function open(context: TestContext, options: Options = {}) {
  return (await openTree(context, options)).openSession('first');
}

async function openTree(context: TestContext, options: Options) {
  const {
    user,
    authority = ensemble.certificates?.authority,
    scheme = 'zookeepers',
    root = 'secured',
    report,
  } = options;
  const hosts = `${user ? `${user}@` : ''}${ensemble.servers.map(({ address }) => address).join(',')}`;
  const query = authority ? `?cacertfile=${encodeURIComponent(authority)}` : '';
  const tree = await openZookeeperCoordination({
    url: `${scheme}://${hosts}/${root}${query}`,
    sessionTimeoutMs: 12_000,
    ...(report && { report }),
  });
  context.after(() => tree.close());
  return tree;
}

test('over TLS everything works with a server whose authority we trust', async (context) => {
  const [session, other] = [await open(context), await open(context)];
  const hold = await session.hold('/leader', 'me');
  const large = 'x'.repeat(512 * 1024);
  await session.set('/over/tls', large, { under: hold });
  assert.equal((await other.get('/over/tls'))?.value, large);
  assert.equal((await other.holder('/leader'))?.identity, 'me');
});

test('a server with an untrusted authority is refused, and so is a connection without TLS', async (context) => {
  await assert.rejects(open(context, { authority: '' }), (error) => {
    assert.ok(hasCode(error, 'unavailable'));
    assert.match(error.message, /certificate/);
    return true;
  });
  await assert.rejects(open(context, { authority: '', scheme: 'zookeeper' }), code('unavailable'));
});

test('nodes written with credentials are closed to everyone else', async (context) => {
  const owner = await open(context, { user: 'pismak:s%2Fcret%40' });
  await owner.set('/private/plan', 'ours');
  await owner.create('/private/present', 'here', { ephemeral: true });
  const hold = await owner.hold('/private/leader', 'me');
  const same = await open(context, { user: 'pismak:s%2Fcret%40' });
  await same.set('/private/plan', 'still ours');

  const reported: unknown[] = [];
  const report = (error: unknown) => reported.push(error);
  for (const user of [undefined, 'pismak:wrong', 'other:s%2Fcret%40']) {
    const stranger = await open(context, { ...(user && { user }), report });
    await assert.rejects(stranger.get('/private/plan'), code('forbidden'));
    await assert.rejects(stranger.children('/private'), code('forbidden'));
    await assert.rejects(stranger.set('/private/plan', 'theirs'), code('forbidden'));
    await assert.rejects(stranger.set('/private/new', 'theirs'), code('forbidden'));
    await assert.rejects(stranger.delete('/private/plan'), code('forbidden'));
    await assert.rejects(stranger.hold('/private/leader', 'they'), code('forbidden'));
    stranger.watch('/private/plan', () => assert.fail('must not be called'));
    await eventually('the failed watch is reported', () => code('forbidden')(reported.pop()));
  }
  assert.equal((await owner.get('/private/plan'))?.value, 'still ours');
  assert.equal((await owner.holder('/private/leader'))?.fence, hold.fence);
});

test('nodes that were made without a user are closed when the URL names one', async (context) => {
  const before = await open(context, { root: 'left' });
  await before.set('/left/open', 'secret');
  await before.set('/left/open/below', 'secret');
  const owner = await openTree(context, { user: 'pismak:s%2Fcret%40', root: 'left' });
  assert.equal(owner.isOpenToAll, false);
  await owner.closeToOthers();
  for (const path of ['/left/open', '/left/open/below']) {
    await assert.rejects(before.get(path), code('forbidden'));
    await assert.rejects(before.set(path, 'theirs'), code('forbidden'));
    assert.equal((await (await owner.openSession('again')).get(path))?.value, 'secret');
  }
});
