import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTime } from '../../engine/testing/cpu-time.ts';
import { type HostileManner, hostileManners, openHostileRelay } from '../testing/hostile-relay.ts';
import { SmtpConnection } from './connection.ts';
import { outcomeOf } from './outcome.ts';

const ms = 150;
const timeouts = {
  connectMs: ms,
  greetingMs: ms,
  commandMs: ms,
  mailMs: ms,
  recipientMs: ms,
  dataMs: ms,
  blockMs: ms,
  finalMs: ms,
};
const envelope = { from: 'shop@example.org', to: 'anna@example.org' };
const message = Buffer.from(`Subject: Hello\r\n\r\n${'text\r\n'.repeat(500_000)}`);

/** How sending a mail ends, and the CPU that it takes. */
async function sendTo(manner: HostileManner) {
  const relay = await openHostileRelay([manner]);
  let end = '';
  const cpu = await cpuTime(async () => {
    try {
      const server = { host: '127.0.0.1', port: relay.port, tls: 'never', verify: false } as const;
      const connection = await SmtpConnection.open({ server, timeouts });
      const outcome = await connection.send(envelope, message);
      end = `${outcome.kind}: ${outcome.answer}`;
      assert.ok(outcome.answer.length <= 600);
      connection.close();
    } catch (error) {
      end = error instanceof Error ? error.message : String(error);
    }
  });
  await relay.close();
  return { cpu, end };
}

const ends: Record<HostileManner, RegExp> = {
  silent: /no answer within 150 ms/,
  dribbles: /no answer within 150 ms/,
  'endless line': /does not speak SMTP: "220 hellox/,
  'endless reply': /does not speak SMTP: "220-and more"/,
  flood: /^127.*: the server said 250 yes|^127.*the server closed/,
  'huge lines': /^127.*does not speak SMTP|sent: 250 4\.1\.1|unsent/,
  'many offers': /does not speak SMTP/,
  deaf: /unknown: after the end of the mail: no answer within 300 ms/,
  'no answer': /unknown: after the end of the mail: no answer within 300 ms/,
  cuts: /^unsent|closed the connection|ECONNRESET|EPIPE/,
  noise: /does not speak SMTP/,
};

test('mail servers that are silent, slow, endless, huge or deaf cost a moment and end in time', async () => {
  for (const manner of hostileManners) {
    const { cpu, end } = await sendTo(manner);
    assert.match(end, ends[manner], manner);
    // The hostile server is in this thread too.
    assert.ok(cpu < 1000, `${manner}: ${cpu} ms`);
  }
});

test('a reply of 800 KB is judged in a moment', async () => {
  const text = '1.1.1 4.1.1111 4.1 5.5.5.5 '.repeat(30_000);
  const cpu = await cpuTime(() => outcomeOf({ code: 450, text, lines: [text] }));
  assert.ok(cpu < 200, `${cpu} ms`);
});
