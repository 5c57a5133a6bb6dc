import assert from 'node:assert/strict';
import { access, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { eventually } from '../../engine/testing/eventually.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { mailSettings } from '../settings/settings.ts';
import { runMailHouse } from '../testing/running-mail.ts';

test('each mail goes to its own recipient only, with its own data', async (t) => {
  const { call, anna, received, reaches } = await runMailHouse(t);
  const ids: string[] = [];
  for (const number of [1, 2, 3])
    ids.push(
      (
        await call(
          'mail.send',
          { type: 'order', to: `p${number}@example.org`, data: { number, name: 'Žofie' } },
          anna,
        )
      ).id,
    );
  for (const id of ids) await reaches(id, 'sent');
  assert.equal(received.length, 3);
  for (const { to, content } of received) {
    const parsed = await PostalMime.parse(content);
    const number = /p(\d)@/.exec(to.join())?.[1];
    assert.deepEqual([to.length, parsed.to?.[0]?.address, parsed.subject], [1, to[0], `Order ${number}`]);
    assert.match(parsed.html ?? '', new RegExp(`Hello Žofie, order ${number}\\.`));
  }
});

test('bcc, priority and attachments reach the relay, and bcc stays out of the mail', async (t) => {
  const { server, call, anna, received, reaches } = await runMailHouse(t, {
    mail: { bounceAddress: 'bounce@example.org' },
  });
  const upload = await server.send('POST', '/api/v1/blobs', {
    ...anna,
    body: new TextEncoder().encode('invoice'),
  });
  assert.equal(upload.status, 200, upload.text);
  const attachments = [{ name: 'invoice.txt', blob: upload.body.hash }];
  const { id } = await call(
    'mail.send',
    { type: 'order', to: 'anna@example.org', bcc: ['boss@example.org'], attachments },
    anna,
  );
  await reaches(id, 'sent');
  assert.deepEqual(received.map(({ to }) => to[0]).sort(), ['anna@example.org', 'boss@example.org']);
  // If the copy bounces, it says nothing about the recipient.
  const [mail, copy] = received.toSorted((one, other) => (one.to[0] ?? '').localeCompare(other.to[0] ?? ''));
  assert.match(mail?.from ?? '', /^bounce\+.+@example\.org$/);
  assert.equal(copy?.from, 'bounce@example.org');
  for (const { content } of received) {
    const parsed = await PostalMime.parse(content);
    assert.equal(parsed.attachments[0]?.filename, 'invoice.txt');
    assert.doesNotMatch(content.toString('latin1'), /boss@/);
  }
});

test('an expired mail is not sent, a suppressed one neither; a dead address suppresses itself', async (t) => {
  const { call, engine, received, reaches } = await runMailHouse(t, { misbehave: ['550@rcpt=nobody'] });
  await call('mailtype.create', {
    code: 'short',
    sender: 'a@example.org',
    subject: 'x',
    template: 'x',
    ttlMs: 1,
  });
  await engine.broker.pause('mail.transactional');
  const { id: late } = await call('mail.send', { type: 'short', to: 'late@example.org' });
  const { id: unwanted } = await call('mail.send', { type: 'order', to: 'Unwanted@example.org' });
  await call('suppression.add', { address: 'unwanted@example.org' });
  await engine.broker.resume('mail.transactional');
  await reaches(late, 'expired');
  await reaches(unwanted, 'suppressed');
  const { id: dead } = await call('mail.send', { type: 'order', to: 'nobody@example.org' });
  await reaches(dead, 'failed');
  const { addresses } = await call('suppression.ls', {});
  assert.deepEqual(
    addresses.map(({ address }: { address: string }) => address),
    ['nobody@example.org', 'unwanted@example.org'],
  );
  assert.equal(received.length, 0);
});

test('a wrong template, a missing file, a large file: this mail fails with the reason, no other is touched', async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'gone.txt'), 'x');
  await writeFile(join(directory, 'grows.bin'), 'x');
  const { server, call, anna, reaches, engine } = await runMailHouse(t, {
    mail: { attachmentDirectory: directory, attachmentsMb: 1 },
  });
  await call('mailtype.create', {
    code: 'fragile',
    sender: 'a@example.org',
    subject: 'x',
    template: 'a\n{% for x in (1..n) %}{% for y in (1..n) %}.{% endfor %}{% endfor %}',
  });
  const { id: wrong } = await call(
    'mail.send',
    { type: 'fragile', to: 'a@example.org', data: { n: 1_000_000 } },
    anna,
  );
  const { id: fine } = await call(
    'mail.send',
    { type: 'fragile', to: 'b@example.org', data: { n: 2 } },
    anna,
  );
  await reaches(wrong, 'failed');
  await reaches(fine, 'sent');
  assert.match((await call('mail.show', { mail: wrong })).answer, /template fragile, line 2/);
  const attach = (path: string) => ({
    type: 'order',
    to: 'a@example.org',
    attachments: [{ name: 'f', path }],
  });
  // Files are looked at when the mail is submitted, and again when it is sent.
  await engine.broker.pause('mail.transactional');
  const { id: missing } = await call('mail.send', attach(join(directory, 'gone.txt')), anna);
  const { id: grown } = await call('mail.send', attach(join(directory, 'grows.bin')), anna);
  await rm(join(directory, 'gone.txt'));
  await truncate(join(directory, 'grows.bin'), 2 * 1024 * 1024);
  await engine.broker.resume('mail.transactional');
  await reaches(grown, 'failed');
  assert.match((await call('mail.show', { mail: grown })).answer, /2097152 bytes; the limit is 1048576/);
  await reaches(missing, 'failed');
  assert.match((await call('mail.show', { mail: missing })).answer, /no file .*gone\.txt to attach/);
  const outside = await server.call('mail.send', attach('/etc/passwd'), anna);
  assert.deepEqual([outside.status, outside.body.error.code], [403, 'forbidden']);
});

test('deleteAfterSend deletes the file after the last mail that names it, and only then', async (t) => {
  const directory = await temporaryDirectory(t);
  const path = join(directory, 'report.txt');
  await writeFile(path, 'report');
  const { call, reaches, sink, rules } = await runMailHouse(t, {
    mail: { attachmentDirectory: directory },
    misbehave: ['450@rcpt=second'],
  });
  const send = (to: string) =>
    call('mail.send', {
      type: 'order',
      to,
      key: to,
      attachments: [{ name: 'report.txt', path, deleteAfterSend: true }],
    });
  const { id: second } = await send('second@example.org');
  const { id: first } = await send('first@example.org');
  await reaches(first, 'sent');
  await access(path);
  sink.misbehave(rules([]));
  await reaches(second, 'sent');
  await eventually('the file is deleted', () =>
    access(path).then(
      () => false,
      () => true,
    ),
  );
  // A repeated call answers with the first mail, though its file is gone.
  assert.deepEqual(await send('second@example.org'), { id: second, isNew: false });
});

test('a sender that was killed before it deleted a file leaves it to the next one, and to the housekeeping', async (t) => {
  const directory = await temporaryDirectory(t);
  const { call, engine, reaches } = await runMailHouse(t, { mail: { attachmentDirectory: directory } });
  const { mailQueries } = await import('../database/tables.ts');
  const { deleteSentFiles } = await import('./delete-sent-files.ts');
  const settings = mailSettings.parse({ attachmentDirectory: directory });
  const { id } = await call('mail.send', { type: 'order', to: 'anna@example.org' });
  await reaches(id, 'sent');
  const left = async (name: string) => {
    const path = join(directory, name);
    await writeFile(path, 'report');
    await mailQueries(engine).insertInto('mail_file').values({ path, mail: id }).execute();
    return path;
  };
  const isGone = (path: string) =>
    access(path).then(
      () => false,
      () => true,
    );
  const shared = await left('shared.txt');
  const attachments = [{ name: 'shared.txt', path: shared, deleteAfterSend: true }];
  await engine.broker.pause('mail.transactional');
  const { id: next } = await call('mail.send', { type: 'order', to: 'bert@example.org', attachments });
  const alone = await left('alone.txt');
  await deleteSentFiles(engine, settings);
  assert.deepEqual([await isGone(alone), await isGone(shared)], [true, false]);
  await engine.broker.resume('mail.transactional');
  await reaches(next, 'sent');
  await eventually('the file is deleted', () => isGone(shared));
});

test('line breaks in addresses and subjects, data that is not an object, unknown types and designs: refused, nothing stored', async (t) => {
  const { server, call, admin, anna } = await runMailHouse(t);
  const good = { type: 'order', to: 'anna@example.org' };
  for (const bad of [
    { to: 'anna@example.org\r\nRCPT TO:<thief@example.org>' },
    { to: 'nobody' },
    { subject: 'x\r\nBcc: thief@example.org' },
    { sender: 'x\n@example.org' },
    { data: 'text' },
    { bcc: ['x'] },
  ]) {
    const { status, body } = await server.call('mail.send', { ...good, ...bad }, anna);
    assert.deepEqual([status, body.error.code], [400, 'invalid-input'], JSON.stringify(bad));
  }
  const asBank = { ...good, sender: 'Bank <office@bank.example>' };
  assert.equal((await server.call('mail.send', asBank, anna)).status, 403);
  for (const name of ['mail.cancel', 'mail.resend'])
    assert.equal((await server.call(name, { mail: 'nothing' }, admin)).status, 404);
  const type = { code: 'x', sender: 'a@example.org', subject: 'x', template: '<p>x</p>', class: 'blk' };
  assert.match(
    (await server.call('mailtype.create', type, admin)).body.error.message,
    /no class blk; the classes are transactional, bulk/,
  );
  const never = { address: 'a@example.org', class: 'blk' };
  assert.match((await server.call('suppression.add', never, admin)).body.error.message, /no class blk/);
  await call('suppression.add', { ...never, class: 'bulk' });
  assert.match(
    (await server.call('suppression.remove', { address: 'a@example.org' }, admin)).body.error.message,
    /a@example\.org is not suppressed, but for class bulk/,
  );
  assert.match(
    (await server.call('mailtype.update', { code: 'order' }, admin)).body.error.message,
    /name what to change of mail type order/,
  );
  await call('suppression.add', { ...never, class: 'transactional' });
  const { addresses } = await call('suppression.ls', { limit: 1 });
  assert.deepEqual(
    addresses.map((row: { class: string }) => row.class),
    ['bulk', 'transactional'],
  );
  const seventh = await server.call('mailtype.show', { code: 'order', version: 7 }, anna);
  assert.match(seventh.body.error.message, /mail type order has no version 7/);
  const { body } = await server.call('mail.send', { ...good, type: 'ordre' }, anna);
  assert.match(body.error.message, /no mail type ordre; did you mean order/);
  const design = async (design: string) =>
    (await server.call('mail.send', { ...good, design }, anna)).body.error.message;
  assert.match(await design('shop.cz'), /mail type order has no designs/);
  await call('mailtype.update', { code: 'order', designs: { 'shop.cz': { logo: 'a' }, 'shop.sk': {} } });
  assert.match(await design('shop.pl'), /mail type order has no design shop\.pl; it has shop\.cz, shop\.sk/);
  assert.match(await design('constructor'), /has no design constructor/);
  assert.deepEqual((await call('mail.ls', {})).mails, []);
});

test('a relay that keeps mails until their date gets them at once, if the class says so; what it can’t keep waits here', async (t) => {
  const { call, engine, received, reaches, state } = await runMailHouse(t, {
    mail: { classes: { transactional: { holdAtRelay: true } } },
    offers: ['PIPELINING', 'FUTURERELEASE 86400 2099-01-01T00:00:00Z'],
  });
  const at = Math.ceil(Date.now() / 1000) * 1000 + 3_600_000;
  const { id } = await call('mail.send', { type: 'order', to: 'anna@example.org', at });
  const { id: later } = await call('mail.send', {
    type: 'order',
    to: 'bert@example.org',
    at: at + 86_400_000,
  });
  await reaches(id, 'sent');
  assert.match(
    received[0]?.parameters ?? '',
    new RegExp(`HOLDUNTIL=${new Date(at).toISOString().replace('.000', '')}$`),
  );
  await eventually(
    'the other one is put off',
    async () => (await engine.backlog.count('mail')).waiting === 1,
  );
  assert.deepEqual([await state(later), received.length], ['waiting', 1]);
});
