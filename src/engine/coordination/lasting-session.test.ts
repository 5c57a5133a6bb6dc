import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { openLastingSession } from './lasting-session.ts';

test('reads and writes continue after the session is lost', async (t) => {
  const { tree } = await openEmbedded(t);
  const lasting = await openLastingSession(tree, 'engine');
  await lasting.set('/stages/a', '1');
  const first = lasting.session;
  await tree.expire(first);
  const [node, children] = await Promise.all([lasting.get('/stages/a'), lasting.children('/stages')]);
  assert.equal(node?.value, '1');
  assert.equal(children.length, 1);
  await lasting.set('/stages/a', '2', { version: node.version });
  assert.notEqual(lasting.session, first);
  assert.equal(lasting.lost.aborted, false);
  await lasting.close();
});
