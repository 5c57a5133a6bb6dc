import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { putFor } from '../../engine/testing/put-for.ts';
import { runMailHouse } from '../testing/running-mail.ts';
import { publishWhole, wholeMail } from '../testing/whole-mail.ts';
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
  assert.deepEqual(await call('mail.erase', { address: 'anna@example.org' }), { mails: 2, campaigns: [] });
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

test('whole mails to an erased address leave no trace: not from the queue, nor as a result or a dead letter', async (t) => {
  const { call, engine, received, reaches } = await runMailHouse(t);
  const { broker, clock } = engine;
  const publish = publishWhole(broker);
  const known = async () => (await call('mail.ls', {})).mails.map((mail: { id: string }) => mail.id);
  // Of a type that nobody knows: a dead letter.
  const lost = wholeMail('d1', 'anna@example.org', clock.now());
  await publish({ ...lost, fields: { ...lost.fields, type: 'unheard' } });
  const dead = () => broker.dead('mail.transactional');
  await eventually('it is a dead letter', async () => (await dead()).length === 1);
  // Sent, but its result is not stored yet.
  await broker.pause('mail.record');
  await publish(wholeMail('s1', 'anna@example.org', clock.now()));
  await eventually('it is sent', async () => received.length === 1);
  await broker.pause('mail.transactional');
  await publish(
    wholeMail('w1', 'Anna@Example.org', clock.now()),
    wholeMail('w2', 'bert@example.org', clock.now()),
  );
  await publish(wholeMail('w3', 'anna@example.org', clock.now()));
  assert.deepEqual(await call('mail.erase', { address: 'anna@example.org' }), { mails: 1, campaigns: [] });
  assert.deepEqual(await dead(), []);
  await publish(wholeMail('n1', 'anna@example.org', clock.now() + 1));
  await broker.resume('mail.transactional');
  await broker.resume('mail.record');
  for (const id of ['w2', 'n1'])
    await eventually(`${id} is stored`, async () => (await known()).includes(id));
  await reaches('n1', 'sent');
  // Also what came before it in the queues.
  assert.deepEqual((await known()).sort(), ['n1', 'w2']);
  assert.deepEqual(
    received.map(({ to }) => to[0]),
    ['anna@example.org', 'bert@example.org', 'anna@example.org'],
  );
});

test('the file of an audience is deleted when its mails are made; until then, erasing names the campaign', async (t) => {
  const { call, engine, anna } = await runMailHouse(t);
  const { hash } = await putFor(engine, 'anna', Buffer.from('email\nbert@example.org\nAnna@Example.org\n'));
  await call('campaign.create', { name: 'spring', type: 'order', audience: [`csv:${hash}`] }, anna);
  assert.deepEqual(await call('mail.erase', { address: 'anna@example.org' }), {
    mails: 0,
    campaigns: ['spring of anna'],
  });
  await call('campaign.start', { campaign: 'spring' }, anna);
  const state = async () => (await call('campaign.show', { campaign: 'spring' }, anna)).state;
  await eventually('it is done', async () => (await state()) === 'done');
  const owners = await engine.database.query
    .selectFrom('blobRef')
    .select('owner')
    .where('hash', '=', hash)
    .execute();
  assert.deepEqual(owners, []);
  assert.deepEqual(await call('mail.erase', { address: 'anna@example.org' }), { mails: 1, campaigns: [] });
});
