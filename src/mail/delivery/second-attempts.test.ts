import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { eventually } from '../../engine/testing/eventually.ts';
import type { Misbehaviour } from '../sink/misbehaviour.ts';
import { runMailHouse } from '../testing/running-mail.ts';
import { byIds } from './mail-message.ts';

type Row = { to: string; answer: string };

test('a copy that is put off comes later, as the same mail, and holds up nothing', async (t) => {
  const { call, received, reaches, sink } = await runMailHouse(t, { misbehave: ['450@rcpt=boss'] });
  // Data that looks like an attachment is data.
  const data = { number: 7, attachments: [{ name: 'a.pdf', path: 'a.pdf', deleteAfterSend: true }] };
  const { id } = await call('mail.send', {
    type: 'order',
    to: 'anna@example.org',
    bcc: ['boss@example.org'],
    data,
  });
  await reaches(id, 'sent');
  assert.match((await call('mail.show', { mail: id })).answer, /; copy to boss@example\.org is put off: 450/);
  sink.misbehave([]);
  await eventually('the copy', () => received.length === 2);
  assert.deepEqual(
    received.map(({ to }) => to[0]),
    ['anna@example.org', 'boss@example.org'],
  );
  const headOf = (index: number) => PostalMime.parse(received[index]?.content ?? '');
  const [first, copy] = await Promise.all([headOf(0), headOf(1)]);
  assert.deepEqual(
    [copy.messageId, copy.to, copy.subject, copy.html],
    [first.messageId, first.to, first.subject, first.html],
  );
  // Whoever is erased takes the copy along.
  const mailsOf = async () =>
    (await call('mail.ls', {})).mails.map(({ to, answer }: Row) => `${to} ${answer}`);
  await eventually('it is recorded', async () => (await mailsOf()).length === 2);
  assert.match((await mailsOf())[0], /^anna@example\.org copy to boss@example\.org: 250/);
  await call('mail.erase', { address: 'anna@example.org' });
  assert.deepEqual(await mailsOf(), []);
});

test('4xx is tried again and sent once; 5xx is final; both say why', async (t) => {
  const { call, received, reaches, sink, rules } = await runMailHouse(t);
  const line = '554 5.7.1 <Bert@example.org> is no user of ours';
  const refusal: Misbehaviour = {
    step: 'end',
    recipient: 'Bert',
    share: 1,
    misdeed: { kind: 'reply', line },
  };
  sink.misbehave([...rules(['450@rcpt=anna']), refusal]);
  const { id: deferred } = await call('mail.send', { type: 'order', to: 'anna@example.org' });
  const { id: failed } = await call('mail.send', { type: 'order', to: 'Bert@example.org' });
  await reaches(failed, 'failed');
  await reaches(deferred, 'deferred');
  const shown = await call('mail.show', { mail: failed });
  assert.deepEqual([shown.sentAt, shown.attempts], [null, 1]);
  assert.match(shown.answer, /^554/);
  sink.misbehave([refusal]);
  await reaches(deferred, 'sent');
  assert.deepEqual(
    received.map(({ to }) => to[0]),
    ['anna@example.org'],
  );
  // The dead letter is listed, has raised an alert that names it, and can be sent again.
  const { alerts } = await call('alert.ls', {});
  assert.ok(
    alerts.some(
      ({ kind, entity }: { kind: string; entity: string }) => kind === 'mail.failed' && entity === failed,
    ),
  );
  assert.doesNotMatch(JSON.stringify(alerts), /bert@/i);
  const { mails } = await call('mail.ls', { state: 'failed' });
  assert.deepEqual(
    mails.map(({ id }: { id: string }) => id),
    [failed],
  );
  sink.misbehave([]);
  await call('mail.resend', { mail: failed });
  await reaches(failed, 'sent');
});

test('a mail that is put off or sent again keeps the priority and the time to live of its type', async (t) => {
  const { call, engine, reaches, sink, rules } = await runMailHouse(t, { misbehave: ['450@rcpt'] });
  const { mailQueries } = await import('../database/tables.ts');
  await call('mailtype.create', {
    code: 'urgent',
    sender: 'a@example.org',
    subject: 'x',
    template: 'x',
    class: 'bulk',
    priority: 'high',
    ttlMs: 600_000,
  });
  // In the backlog, or already in the queue.
  const waitsInFront = () =>
    eventually('it waits in the high lane', async () => {
      const waiting = engine.database.query.selectFrom('backlog').select('lane');
      const held = await waiting.where('queue', '=', 'mail.bulk').executeTakeFirst();
      return (held ?? (await engine.broker.peek('mail.bulk'))[0])?.lane === 'high';
    });
  const { id } = await call('mail.send', { type: 'urgent', to: 'anna@example.org' });
  await reaches(id, 'deferred');
  await engine.broker.pause('mail.bulk');
  await waitsInFront();
  sink.misbehave(rules(['554@rcpt']));
  await engine.broker.resume('mail.bulk');
  await reaches(id, 'failed');
  await engine.broker.pause('mail.bulk');
  await call('mail.resend', { mail: id });
  await waitsInFront();
  const row = await mailQueries(engine)
    .selectFrom('mail_mail')
    .select(['changedAt', 'notAfter'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  assert.equal(Number(row.notAfter) - Number(row.changedAt), 600_000);
});

test('a cut behind the final dot is unknown: held or sent again as the class says, and counted', async (t) => {
  const mail = {
    classes: { transactional: { onUnknown: 'hold' }, alarm: { onUnknown: 'resend', lane: 'high' } },
  };
  const { call, reaches, sink, rules } = await runMailHouse(t, { mail, misbehave: ['cut@end'] });
  await call('mailtype.create', {
    code: 'alarm',
    sender: 'a@example.org',
    subject: 'x',
    template: 'x',
    class: 'alarm',
  });
  const { id: held } = await call('mail.send', { type: 'order', to: 'anna@example.org' });
  await reaches(held, 'unknown');
  const { id: resent } = await call('mail.send', { type: 'alarm', to: 'bert@example.org' });
  await eventually('it is put off', async () => (await call('mail.show', { mail: resent })).unknown > 0);
  sink.misbehave(rules([]));
  await reaches(resent, 'sent');
  const { state, unknown } = await call('mail.show', { mail: held });
  assert.deepEqual([state, unknown], ['unknown', 1]);
  await call('mail.resend', { mail: held });
  await reaches(held, 'sent');
});

test('the same idempotency key sends one mail, a stranger sees none of it', async (t) => {
  const { server, call, anna, received, reaches } = await runMailHouse(t);
  const input = { type: 'order', to: 'anna@example.org', key: 'order-7' };
  const [first, second] = await Promise.all([call('mail.send', input, anna), call('mail.send', input, anna)]);
  assert.equal(first.id, second.id);
  await reaches(first.id, 'sent');
  assert.equal(received.length, 1);
  const bert = await server.signUp('bert', 'user');
  assert.equal((await server.call('mail.show', { mail: first.id }, bert)).status, 404);
});

test('a mail in the hands of a sender that stopped is sent by the next one, and the repetition is counted', async (t) => {
  const { call, engine, received, reaches } = await runMailHouse(t);
  await engine.broker.pause('mail.transactional');
  const { id } = await call('mail.send', { type: 'order', to: 'anna@example.org' });
  // As a sender leaves it that was killed: taken, and not answered.
  const { mailQueries } = await import('../database/tables.ts');
  await mailQueries(engine)
    .updateTable('mail_mail')
    .set({ state: 'sending', takes: 1 })
    .where('id', '=', id)
    .execute();
  await engine.broker.resume('mail.transactional');
  await reaches(id, 'sent');
  assert.equal((await call('mail.show', { mail: id })).repeated, 1);
  assert.equal(received.length, 1);
});

test('a mail that two messages name while a relay has it is sent once', async (t) => {
  const { call, engine, received, reaches } = await runMailHouse(t, { misbehave: ['wait1000@end'] });
  const { id } = await call('mail.send', { type: 'order', to: 'anna@example.org', data: { number: 1 } });
  await reaches(id, 'sending');
  await engine.broker.publish('mail.transactional', byIds([id], 'root', 'high'));
  await reaches(id, 'sent');
  const isEmpty = async () => (await engine.broker.status('mail.transactional')).inFlight === 0;
  await eventually('both messages have gone', isEmpty);
  assert.equal(received.length, 1);
  assert.equal((await call('mail.show', { mail: id })).repeated, 0);
});
