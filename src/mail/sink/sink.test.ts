import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { parseMisbehaviour } from './misbehaviour.ts';
import { openSink, type ReceivedMail, type SinkOptions } from './sink.ts';

async function startSink(t: TestContext, options: SinkOptions = {}) {
  const received: ReceivedMail[] = [];
  const sink = await openSink({ onMail: (mail) => received.push(mail), ...options });
  t.after(() => sink.close());
  /** A client that says what it likes. */
  const talk = () => {
    const socket = connect(sink.port, '127.0.0.1');
    t.after(() => socket.destroy());
    let said = '';
    let isOver = false;
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      isOver = true;
    });
    return {
      socket,
      say: (text: string | Buffer) => socket.write(text),
      hears: (pattern: RegExp) => eventually(`${pattern} in ${said}`, () => pattern.test(said)),
      isLeft: () => eventually('the sink has hung up', () => isOver),
      said: () => said,
    };
  };
  return { sink, received, talk };
}

const begin = 'EHLO x\r\nMAIL FROM:<a@example.org>\r\nRCPT TO:<b@example.org>\r\nDATA\r\n';

test('a mail is found wherever the network cut it, with its dots, however little of it comes at once', async (t) => {
  const { received, talk } = await startSink(t);
  const { socket, say, hears } = talk();
  socket.setNoDelay(true);
  const mail = 'Subject: x\r\n\r\n..dot\r\n...\r\na.\r\nend\r\n.\r\n';
  for (const byte of begin + mail) {
    say(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await hears(/taken/);
  say(`${begin}.\r\n`);
  await hears(/taken(.|\s)*taken/);
  assert.deepEqual(
    received.map(({ content }) => content.toString('latin1')),
    ['Subject: x\r\n\r\n.dot\r\n..\r\na.\r\nend\r\n', ''],
  );
});

test('what never ends is not kept: lines, mails, recipients', async (t) => {
  const { received, talk } = await startSink(t, { offers: ['PIPELINING', 'SIZE 100000'] });
  const endless = talk();
  endless.say('x'.repeat(70_000));
  await endless.isLeft();
  const large = talk();
  large.say(`${begin}${'x'.repeat(99_998)}\r\n`);
  for (let count = 0; count < 20; count++) large.say(`${'y'.repeat(998)}\r\n`);
  large.say('.\r\n');
  await large.hears(/552 5\.3\.4/);
  large.say(`${begin}small\r\n.\r\n`);
  await large.hears(/taken/);
  assert.deepEqual(
    received.map(({ content }) => content.toString()),
    ['small\r\n'],
  );
  const crowd = talk();
  crowd.say(`MAIL FROM:<a@example.org>\r\n${'RCPT TO:<b@example.org>\r\n'.repeat(1001)}`);
  await crowd.hears(/452 4\.5\.3/);
  const few = await startSink(t, { recipients: 2 });
  const pair = few.talk();
  pair.say(`MAIL FROM:<a@example.org>\r\n${'RCPT TO:<b@example.org>\r\n'.repeat(3)}`);
  await pair.hears(/2\.1\.5 ok\r\n250 2\.1\.5 ok\r\n452 4\.5\.3/);
});

test('a client that reads no replies, or sends while its mail is stored, is not read meanwhile', async (t) => {
  const { promise: stored, resolve: store } = Promise.withResolvers<void>();
  const { received, talk } = await startSink(t, {
    onMail: (mail) => stored.then(() => received.push(mail)),
  });
  const deaf = talk();
  deaf.socket.pause();
  const busy = talk();
  busy.say(`${begin}mail\r\n.\r\n`);
  for (const { socket, say } of [deaf, busy]) {
    // More than the network keeps on the way.
    const some = 'NOOP\r\n'.repeat(10_000);
    for (let count = 0; count < 400; count++) say(some);
    let [left, looks] = [0, 0];
    await eventually('it is not read any more', () => {
      looks = socket.writableLength === left && left > 0 ? looks + 1 : 0;
      left = socket.writableLength;
      return looks > 8;
    });
  }
  store();
  await busy.hears(/taken\r\n250 2\.0\.0 ok/);
  deaf.socket.resume();
  await deaf.hears(/250 2\.0\.0 ok/);
});

test('it misbehaves in the middle of a mail too: slow, with an answer that nobody expects, or gone', async (t) => {
  const { sink, received, talk } = await startSink(t, { misbehave: [parseMisbehaviour('421@body')] });
  const refused = talk();
  refused.say(`${begin}half`);
  await refused.hears(/354(.|\s)*421 4\.3\.2/);
  await refused.isLeft();
  sink.misbehave([parseMisbehaviour('cut@body')]);
  const cut = talk();
  cut.say(`${begin}half`);
  await cut.isLeft();
  sink.misbehave([parseMisbehaviour('wait1@body')]);
  const late = talk();
  late.say(`${begin}whole\r\n.\r\n`);
  await late.hears(/taken/);
  sink.misbehave([parseMisbehaviour('wait600000@body')]);
  const slow = talk();
  slow.say(`${begin}whole\r\n.\r\n`);
  await slow.hears(/354/);
  const other = talk();
  sink.misbehave([]);
  other.say(`${begin}whole\r\n.\r\n`);
  await other.hears(/taken/);
  assert.equal(received.length, 2);
  assert.doesNotMatch(slow.said(), /taken/);
});

test('a mail that could not be stored is not taken', async (t) => {
  const { sink, talk } = await startSink(t, {
    async onMail() {
      throw new Error('the disk is full');
    },
  });
  const { say, hears } = talk();
  say(`${begin}mail\r\n.\r\n`);
  await hears(/451 4\.3\.0/);
  assert.equal(sink.accepted, 0);
});

test('AUTH without an initial response is asked for it', async (t) => {
  const { talk } = await startSink(t, { auth: (method, said) => `${method} ${said}` === 'plain \0u\0p' });
  const { socket, say, hears } = talk();
  await once(socket, 'connect');
  say('EHLO x\r\nAUTH PLAIN\r\n');
  await hears(/334 /);
  say(`${Buffer.from('\0u\0p').toString('base64')}\r\n`);
  await hears(/235 /);
});
