import assert from 'node:assert/strict';
import { test } from 'node:test';
import { putFor } from '../../engine/testing/put-for.ts';
import { runMailHouse } from '../testing/running-mail.ts';
import { eraseEnded } from './erase.ts';

test('a recipient is erased everywhere, also from what waits; old mails and campaigns go with audience and attachments', async (t) => {
  const { call, engine, anna, reaches, received } = await runMailHouse(t);
  const { hash } = await putFor(engine, 'anna', Buffer.from('invoice'));
  const { id } = await call(
    'mail.send',
    { type: 'order', to: 'anna@example.org', attachments: [{ name: 'a.txt', blob: hash }] },
    anna,
  );
  await reaches(id, 'sent');
  await engine.broker.pause('mail.transactional');
  const { id: waiting } = await call('mail.send', { type: 'order', to: 'Anna@Example.org', key: 'k' }, anna);
  const { id: other } = await call('mail.send', { type: 'order', to: 'bert@example.org' }, anna);
  assert.deepEqual(await call('mail.erase', { address: 'anna@example.org' }), { mails: 2 });
  await engine.broker.resume('mail.transactional');
  await reaches(other, 'sent');
  assert.deepEqual(
    received.map(({ to }) => to[0]),
    ['anna@example.org', 'bert@example.org'],
  );
  const { mails } = await call('mail.ls', {});
  assert.deepEqual(
    mails.map((mail: { id: string }) => mail.id),
    [other],
  );
  assert.ok(waiting);
  const owners = await engine.database.query
    .selectFrom('blobRef')
    .select('owner')
    .where('hash', '=', hash)
    .execute();
  assert.deepEqual(owners, []);
  assert.equal(await eraseEnded(engine, engine.clock.now() + 1, new AbortController().signal), 1);
  assert.deepEqual((await call('mail.ls', {})).mails, []);
});
