import assert from 'node:assert/strict';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { eventually } from '../../engine/testing/eventually.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { checkMail } from '../model/mail.ts';
import { parseMisbehaviour } from '../sink/misbehaviour.ts';
import { openSink, type ReceivedMail } from '../sink/sink.ts';
import { runMailHouse } from '../testing/running-mail.ts';
import type { MailSender } from './mail-sender.ts';
import { httpStore, memoryStore } from './mail-store.ts';
import { openMails } from './mails.ts';
import { httpSender, memorySender, queueSender, sendmailSender, smtpSender } from './senders.ts';
import { openStoredSender } from './stored-sender.ts';

const type = {
  code: 'order',
  sender: 'Shop <shop@example.org>',
  subject: 'Order {{ number }}',
  template: '<p>{{ name }}</p>',
};

/** The same program, whatever the sender is. */
async function confirmOrder(sender: MailSender, mails: ReturnType<typeof openMails>): Promise<string> {
  const mail = await mails.create('order', {
    to: 'Žofie <zofie@example.org>',
    data: { number: 7, name: 'Žofie' },
    shop: 'Brno',
  });
  return (await sender.send(mail)).id;
}

test('one program, five senders: direct, by HTTP, by queue, by sendmail, in memory', async (t) => {
  const house = await runMailHouse(t);
  const { server, engine, admin, anna, sink, received, call } = house;
  await call('mailtype.update', { ...type });
  const at = { url: server.localUrl, key: anna.key };
  const remote = { store: httpStore(at), server: at };
  const upload = async (text: string) =>
    (await server.send('POST', '/api/v1/blobs', { ...anna, body: new TextEncoder().encode(text) })).body;
  const local = { store: memoryStore([type]) };
  const arrives = async (count: number) => {
    await eventually(`mail ${count}`, () => received.length >= count);
    assert.equal(received.length, count);
    const parsed = await PostalMime.parse(received[count - 1]?.content ?? '');
    assert.deepEqual(
      [parsed.subject, parsed.html?.trim(), parsed.to?.[0]?.name],
      ['Order 7', '<p>Žofie</p>', 'Žofie'],
    );
  };

  const direct = smtpSender({ url: `smtp://127.0.0.1:${sink.port}`, ...local });
  t.after(() => direct.close());
  await confirmOrder(direct, openMails(local));
  await arrives(1);

  const byHttp = await confirmOrder(httpSender(at), openMails(remote));
  await arrives(2);
  await house.reaches(byHttp, 'sent');
  // Fields of the application's own come back untouched.
  const again = await openMails(remote).byId(byHttp);
  assert.deepEqual(
    [again.shop, again.data, again.to],
    ['Brno', { number: 7, name: 'Žofie' }, { name: 'Žofie', address: 'zofie@example.org' }],
  );

  // Each field is what it was: copies are no attachments.
  const full = {
    type: 'order',
    to: 'Žofie <zofie@example.org>',
    sender: 'Shop <other@example.org>',
    subject: 'Hello',
    bcc: ['Boss <boss@example.org>'],
    language: 'cs',
    data: { a: [1, null, 'ž'] },
    own: { deep: [true] },
    attachments: [{ name: 'příloha.txt', blob: (await upload('invoice')).hash, type: 'text/plain' }],
  };
  const wanted = checkMail(full);
  const stored = await httpSender(at).send(full);
  assert.deepEqual(await openMails(remote).byId(stored.id), wanted);
  assert.deepEqual(openMails(local).fromJson(JSON.stringify(wanted)), wanted);
  const remembered = memorySender();
  await remembered.send(full);
  assert.deepEqual(remembered.sent, [wanted]);
  await house.reaches(stored.id, 'sent');
  received.splice(2);

  const status = await openMails(remote).status(byHttp);
  assert.deepEqual([status.state, status.attempts], ['sent', 1]);
  assert.match(status.onlineUrl, /\/m\/[\w-]{22,}$/);
  await assert.rejects(openMails(local).status(byHttp), /status needs the URL and key of a mail server/);
  await assert.rejects(
    openStoredSender({ url: 'sqlite:pismak.db' }),
    /belongs to the process of its mail server/,
  );

  // The queue of a running server, as a program with the same broker's URL has it.
  const queue = queueSender({ broker: engine.broker, store: remote.store, owner: 'anna' });
  const byQueue = await confirmOrder(queue, openMails(remote));
  await arrives(3);
  // The database hears of a whole mail from the recorder, with what the online version needs.
  await eventually(
    'it is recorded',
    async () => (await server.call('mail.show', { mail: byQueue }, admin)).status === 200,
  );
  const shown = await call('mail.show', { mail: byQueue });
  assert.deepEqual([shown.state, shown.attempts, shown.repeated, shown.fields.shop], ['sent', 1, 0, 'Brno']);
  assert.match((await server.send('GET', new URL(shown.onlineUrl).pathname)).text, /Žofie/);

  const directory = await temporaryDirectory(t);
  const program = join(directory, 'sendmail');
  await writeFile(program, `#!/bin/sh\necho "$@" > ${directory}/arguments\ncat > ${directory}/mail\n`);
  await chmod(program, 0o755);
  await confirmOrder(sendmailSender({ program, ...local }), openMails(local));
  assert.equal(
    (await readFile(join(directory, 'arguments'), 'utf8')).trim(),
    '-i -f shop@example.org -- zofie@example.org',
  );
  assert.equal((await PostalMime.parse(await readFile(join(directory, 'mail')))).subject, 'Order 7');
  await assert.rejects(
    confirmOrder(sendmailSender({ program: join(directory, 'none'), ...local }), openMails(local)),
    /can't be run/,
  );

  // A design that the type doesn't have is noticed before a mail goes anywhere.
  const strange = { type: 'order', to: 'a@example.org', design: 'shop.de' };
  await assert.rejects(openMails(local).create('order', strange), /mail type order has no designs/);
  for (const sender of [direct, httpSender(at), queue, sendmailSender({ program, ...local })])
    await assert.rejects(sender.send(strange), /mail type order has no designs/);
  // So are files that are missing or too large, where the program has them itself.
  const attach = (path: string, more = {}) => ({
    type: 'order',
    to: 'a@example.org',
    attachments: [{ name: 'f', path, ...more }],
  });
  await writeFile(join(directory, 'large'), Buffer.alloc(2 * 1024 * 1024));
  const small = sendmailSender({ program, ...local, mail: { attachmentsMb: 1 } });
  await assert.rejects(
    small.send(attach(join(directory, 'large'))),
    /f has 2097152 bytes; the limit is 1048576/,
  );
  await assert.rejects(
    direct.send(attach(join(directory, 'gone'))),
    /attachment f: .*gone can't be read: there is no/,
  );
  for (const sender of [direct, queue, small])
    await assert.rejects(
      sender.send(attach(program, { deleteAfterSend: true })),
      /deleteAfterSend works only through a mail server/,
    );
  assert.equal(received.length, 3);

  await assert.rejects(
    httpSender({ url: 'shop', key: '' }).send(strange),
    /"shop" is not a URL of a mail server/,
  );

  const memory = memorySender();
  await confirmOrder(memory, openMails(local));
  assert.equal(memory.sent[0]?.to.address, 'zofie@example.org');
});

test('what goes directly to a relay has no links to a mail server, and says which copies were refused', async (t) => {
  const received: ReceivedMail[] = [];
  const sink = await openSink({
    onMail: (mail) => received.push(mail),
    misbehave: [parseMisbehaviour('550@rcpt=boss@')],
  });
  t.after(() => sink.close());
  const template = '<p>[{{ mail.onlineUrl }}{{ mail.unsubscribeUrl }}]</p>';
  const store = memoryStore([{ ...type, template, class: 'bulk', bcc: ['boss@example.org'] }]);
  const sender = smtpSender({ url: `smtp://127.0.0.1:${sink.port}`, store });
  t.after(() => sender.close());
  const { answer } = await sender.send({ type: 'order', to: 'anna@example.org' });
  assert.match(answer ?? '', /taken; copy to boss@example\.org: 550 5\.1\.1/);
  const parsed = await PostalMime.parse(received[0]?.content ?? '');
  assert.match(parsed.html ?? '', /\[\]/);
  assert.deepEqual(
    parsed.headers.filter(({ key }) => key.startsWith('list-')),
    [],
  );
});

test('of whole mails in one message, one that is put off is tried again alone, one without a type is a dead letter, and a suppressed one is recorded', async (t) => {
  const house = await runMailHouse(t, { misbehave: ['450@rcpt=late', '554@rcpt=nobody', '550@rcpt=dead'] });
  const { engine, call, sink, received, server, admin } = house;
  await call('suppression.add', { address: 'unwanted@example.org' });
  const store = {
    type: async () => (await import('../types/mail-types.ts')).findType(engine, 'order'),
  };
  const queue = queueSender({ broker: engine.broker, store });
  const send = async (to: string, type = 'order') => (await queue.send({ type, to })).id;
  const [late, unwanted, gone] = await Promise.all([
    send('late@example.org'),
    send('unwanted@example.org'),
    send('gone@example.org', 'gone'),
    send('usual@example.org'),
    send('nobody@example.org'),
    send('dead@example.org'),
  ]);
  await eventually(
    'it is recorded',
    async () => (await server.call('mail.show', { mail: unwanted ?? '' }, admin)).status === 200,
  );
  const { state, repeated } = await call('mail.show', { mail: unwanted });
  assert.deepEqual([state, repeated], ['suppressed', 0]);
  await eventually(
    'it was put off',
    async () => (await engine.broker.status('mail.transactional')).delayed > 0,
  );
  sink.misbehave([]);
  await eventually(
    'it is recorded',
    async () => (await server.call('mail.show', { mail: late ?? '' }, admin)).status === 200,
  );
  const shown = await call('mail.show', { mail: late });
  assert.ok(shown.state === 'sent' && shown.attempts >= 2 && shown.repeated === 0, JSON.stringify(shown));
  assert.deepEqual(received.map(({ to }) => to[0]).toSorted(), ['late@example.org', 'usual@example.org']);
  const dead = await engine.broker.dead('mail.transactional');
  assert.deepEqual([dead.length, dead[0]?.id], [1, gone]);
  assert.match(dead[0]?.history.at(-1)?.reason ?? '', /there is no mail type gone/);
  const alert = await eventually('an alert tells of the refused one', async () =>
    (await engine.alerts.list()).find(({ kind }) => kind === 'mail.failed'),
  );
  assert.match(alert.reason, /55[04]/);
  assert.doesNotMatch(alert.reason, /nobody@/, 'alerts outlive the erasure of a recipient');
  await eventually('the dead address is suppressed', async () =>
    (await call('suppression.ls', {})).addresses.some(
      ({ address }: { address: string }) => address === 'dead@example.org',
    ),
  );
});

test('whole mails beyond the pace of a provider make way for others and come later, each once', async (t) => {
  const providers = { slow: { domains: ['slow.org'], perSecond: 40 } };
  const { engine, received, call } = await runMailHouse(t, { mail: { providers } });
  const store = {
    type: async (code: string) => (await import('../types/mail-types.ts')).findType(engine, code),
  };
  const queue = queueSender({ broker: engine.broker, store });
  const send = (domain: string, count: number) =>
    Promise.all(
      Array.from(
        { length: count },
        async (_, index) => (await queue.send({ type: 'order', to: `p${index}@${domain}` })).id,
      ),
    );
  // The slow ones stand in front, and are more than a sender takes into its hands.
  const slow = await send('slow.org', 150);
  await send('fast.org', 50);
  const count = (domain: string) => received.filter(({ to }) => to[0]?.endsWith(domain)).length;
  await eventually('the fast ones have left', () => count('fast.org') === 50);
  assert.ok(count('slow.org') < 150, `${count('slow.org')} slow ones had left`);
  await eventually('all have left', () => received.length === 200);
  const rows = await Promise.all(slow.map((mail) => recordedMail(mail)));
  assert.deepEqual(
    [...new Set(rows.map(({ state, attempts, repeated }) => `${state} ${attempts} ${repeated}`))],
    ['sent 1 0'],
  );
  assert.equal(received.length, 200);

  async function recordedMail(mail: string) {
    let shown: { state: string; attempts: number; repeated: number } | undefined;
    await eventually('it is recorded', async () => {
      shown = await call('mail.show', { mail }).catch(() => undefined);
      return shown !== undefined;
    });
    return shown as NonNullable<typeof shown>;
  }
});
