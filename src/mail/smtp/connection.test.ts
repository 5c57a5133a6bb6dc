import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { type Misbehaviour, parseMisbehaviour, sinkSteps } from '../sink/misbehaviour.ts';
import { openSink, type ReceivedMail, type SinkOptions } from '../sink/sink.ts';
import { SmtpConnection, type SmtpOptions } from './connection.ts';
import { outcomeOf } from './outcome.ts';
import type { SmtpServer } from './server-url.ts';

const message = Buffer.from('Subject: Hello\r\n\r\n.dots\r\n..more\r\nend\r\n');
const envelope = { from: 'shop@example.org', to: 'anna@example.org' };

async function startSink(t: TestContext, options: SinkOptions = {}) {
  const received: ReceivedMail[] = [];
  const sink = await openSink({ onMail: (mail) => received.push(mail), ...options });
  t.after(() => sink.close());
  const open = async (server: Partial<SmtpServer> = {}, more: Partial<SmtpOptions> = {}) => {
    const connection = await SmtpConnection.open({
      server: { host: '127.0.0.1', port: sink.port, tls: 'offered', verify: false, ...server },
      ...more,
    });
    t.after(() => connection.close());
    return connection;
  };
  return { sink, received, open };
}

const misbehaving = (...rules: string[]): Misbehaviour[] => rules.map(parseMisbehaviour);

test('a sink whose owner needs time answers when the mail is taken, and 451 if it could not be', async (t) => {
  let isAway = true;
  const onMail = async () => {
    if (isAway) throw new Error('away');
  };
  const connection = await (await startSink(t, { onMail })).open();
  const later = await connection.send(envelope, message);
  assert.deepEqual([later.kind, later.answer], ['deferred', '451 4.3.0 not now; try again later']);
  isAway = false;
  assert.equal((await connection.send(envelope, message)).kind, 'sent');
});

for (const offers of [['PIPELINING', 'SIZE 1000'], []]) {
  test(`mails arrive byte by byte on one connection, with ${offers[0] ?? 'no extension'}`, async (t) => {
    const { sink, received, open } = await startSink(t, { offers });
    const connection = await open();
    for (const to of ['anna@example.org', 'bert@example.org'])
      assert.equal((await connection.send({ ...envelope, to }, message)).kind, 'sent');
    assert.equal(sink.connections, 1);
    assert.deepEqual(
      received.map(({ to }) => to),
      [['anna@example.org'], ['bert@example.org']],
    );
    for (const mail of received) assert.deepEqual(mail.content.toString(), message.toString());
  });

  test(`a refused recipient doesn't harm the next mail, with ${offers[0] ?? 'no extension'}`, async (t) => {
    const { received, open } = await startSink(t, { offers, misbehave: misbehaving('550@rcpt=nobody') });
    const connection = await open();
    const refused = await connection.send({ ...envelope, to: 'nobody@example.org' }, message);
    assert.deepEqual([refused.kind, 'enhanced' in refused && refused.enhanced], ['failed', '5.1.1']);
    assert.equal((await connection.send(envelope, message)).kind, 'sent');
    assert.deepEqual(
      received.map(({ to }) => to),
      [['anna@example.org']],
    );
  });
}

test('a cut before the final dot is unsent, a cut behind it unknown: the relay may have the mail', async (t) => {
  const { sink, open } = await startSink(t);
  for (const step of sinkSteps.slice(3)) {
    const connection = await open();
    sink.misbehave(misbehaving(`cut@${step}`));
    const { kind } = await connection.send(envelope, message);
    // The whole mail is in one write, so a cut in its middle looks the same to us as one behind it.
    assert.equal(kind, step === 'end' || step === 'body' ? 'unknown' : 'unsent', step);
    assert.equal(connection.isOpen, false);
    sink.misbehave([]);
  }
});

test('4xx defers, 5xx fails, wherever they are said; 421 closes the connection', async (t) => {
  const { sink, open } = await startSink(t);
  for (const step of ['mail', 'rcpt', 'data', 'end']) {
    for (const [code, kind] of [
      ['451', 'deferred'],
      ['554', 'failed'],
      ['421', 'deferred'],
    ] as const) {
      const connection = await open();
      sink.misbehave(misbehaving(`${code}@${step}`));
      assert.equal((await connection.send(envelope, message)).kind, kind, `${code} at ${step}`);
      sink.misbehave([]);
      assert.equal(connection.isOpen, code !== '421');
      if (connection.isOpen) assert.equal((await connection.send(envelope, message)).kind, 'sent');
    }
  }
});

test('a silent server is given up after the time of the step', async (t) => {
  const { sink, open } = await startSink(t);
  const timeouts = { mailMs: 50, recipientMs: 50, dataMs: 50, blockMs: 20, finalMs: 50 };
  const connection = await open({}, { timeouts });
  sink.misbehave(misbehaving('wait60000@end'));
  const outcome = await connection.send(envelope, message);
  assert.deepEqual(
    [outcome.kind, outcome.answer],
    ['unknown', 'after the end of the mail: no answer within 70 ms'],
  );
  sink.misbehave(misbehaving('wait60000@connect'));
  await assert.rejects(open({}, { timeouts: { greetingMs: 50 } }), /no answer within 50 ms/);
});

test('what the server cannot carry fails before a byte is sent: too large, letters without SMTPUTF8', async (t) => {
  const { received, open } = await startSink(t, { offers: ['PIPELINING', 'SIZE 20'] });
  const connection = await open();
  const large = await connection.send(envelope, message);
  assert.match(large.answer, /has \d+ bytes; the server takes at most 20/);
  const letters = await connection.send({ ...envelope, to: 'žofie@example.org' }, Buffer.from('a\r\n'));
  assert.deepEqual([letters.kind, received.length], ['failed', 0]);
});

test('the enhanced code is the one of the answer, not a part of an address of a machine in it', () => {
  const codeOf = (code: number, text: string) => {
    const outcome = outcomeOf({ code, text, lines: [text] });
    return 'enhanced' in outcome ? outcome.enhanced : undefined;
  };
  assert.equal(codeOf(550, '5.1.1 <anna@example.org>: no such user'), '5.1.1');
  assert.equal(codeOf(550, '#5.1.0 Address rejected.'), '5.1.0');
  assert.equal(codeOf(550, 'rejected by 10.0.0.1: 550 5.1.1 no such user'), '5.1.1');
  assert.equal(codeOf(554, 'your address 5.1.1.20 is listed'), undefined);
  assert.equal(codeOf(554, 'client [195.5.1.1] is blocked'), undefined);
  assert.equal(codeOf(450, 'see 5.7.1, 4.2.0 try again'), '4.2.0');
});

test('a mail with letters outside ASCII in its head needs SMTPUTF8, whatever its envelope says', async (t) => {
  const letters = Buffer.from('From: žofie@example.org\r\n\r\nHello\r\n');
  const { received, open } = await startSink(t);
  await (await open()).send(envelope, letters);
  assert.match(received[0]?.parameters ?? '', / SMTPUTF8$/);
  const { open: openOld } = await startSink(t, { offers: ['8BITMIME'] });
  assert.equal((await (await openOld()).send(envelope, letters)).kind, 'failed');
});

test('addresses in other letters: the domain in ASCII, the name with SMTPUTF8', async (t) => {
  const { received, open } = await startSink(t);
  const connection = await open();
  await connection.send({ ...envelope, to: 'anna@příklad.cz' }, message);
  await connection.send({ ...envelope, to: 'žofie@příklad.cz' }, message);
  assert.deepEqual(
    received.map(({ to }) => to[0]),
    ['anna@xn--pklad-zsa96e.cz', 'žofie@xn--pklad-zsa96e.cz'],
  );
});

test('STARTTLS encrypts before anything is said; tls=require refuses a server without it', async (t) => {
  const { open } = await startSink(t, { tls: await certificate(t) });
  const connection = await open();
  assert.equal(connection.isEncrypted, true);
  assert.equal((await connection.send(envelope, message)).kind, 'sent');
  await assert.rejects(open({ tls: 'require', verify: true }), /self.signed certificate/);
  const plain = await startSink(t);
  await assert.rejects(plain.open({ tls: 'require' }), /offers no STARTTLS/);
});

test('answers that were sent in the clear before STARTTLS are not believed', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 hello\r\n');
    socket.on('data', (chunk) => {
      if (chunk.toString().startsWith('EHLO')) socket.write('250-me\r\n250 STARTTLS\r\n');
      else socket.write('220 go\r\n250-me\r\n250 AUTH PLAIN');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const opening = SmtpConnection.open({ server: { host: '127.0.0.1', port, tls: 'require', verify: false } });
  await assert.rejects(opening, /before the encryption began/);
});

for (const [method, said] of [
  ['plain', '\0shop\0s3cret'],
  ['login', 'shop\0s3cret'],
  ['xoauth2', 'user=shop\x01auth=Bearer s3cret\x01\x01'],
] as const) {
  test(`AUTH ${method.toUpperCase()} signs in`, async (t) => {
    const { open } = await startSink(t, { auth: (how, what) => how === method && what === said });
    const connection = await open({ auth: { method, user: 'shop', secret: 's3cret' } });
    assert.equal((await connection.send(envelope, message)).kind, 'sent');
    await assert.rejects(
      open({ auth: { method, user: 'shop', secret: 'wrong' } }),
      /refused to sign in shop: 535/,
    );
  });
}

test('a server that does not speak SMTP is told apart from one that is away', async (t) => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const at = { host: '127.0.0.1', port, tls: 'never', verify: false } as const;
  await assert.rejects(SmtpConnection.open({ server: at }), /does not speak SMTP/);
});

async function certificate(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const subject = ['-subj', '/CN=127.0.0.1', '-days', '2'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      ...subject,
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { stdio: 'ignore' },
  );
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
