import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runMailHouse } from '../testing/running-mail.ts';

const lines = (...all: string[]) => Buffer.from(all.join('\r\n')).toString('base64');

function deliveryReport(
  to: string,
  options: { recipient: string; status: string; action: string; messageId?: string; why?: string },
) {
  return lines(
    'From: MAILER-DAEMON@relay.example',
    `To: ${to}`,
    'Subject: Undelivered Mail Returned to Sender',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Sorry.',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; relay.example',
    '',
    `Final-Recipient: rfc822; ${options.recipient}`,
    `Action: ${options.action}`,
    `Status: ${options.status}`,
    ...(options.why
      ? [`Diagnostic-Code: smtp; ${options.why}`]
      : ['Diagnostic-Code: smtp; 550 5.1.1 User', '  unknown\0here']),
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    `Message-ID: ${options.messageId ?? '<x@y.z>'}`,
    'Subject: Order 7',
    '',
    'Hello',
    '--b--',
    '',
  );
}

test('a hard bounce suppresses its address, a delay does not, a complaint only its class; forged ones change nothing', async (t) => {
  const { call, received, reaches, state } = await runMailHouse(t, {
    mail: { bounceAddress: 'bounce@example.org' },
  });
  await call('mailtype.create', {
    code: 'news',
    sender: 'a@example.org',
    subject: 'x',
    template: 'x',
    class: 'bulk',
  });
  const send = async (to: string, type = 'order') => {
    const { id } = await call('mail.send', { type, to });
    await reaches(id, 'sent');
    return { id: id as string, from: received.find((mail) => mail.to[0] === to)?.from ?? '' };
  };
  const suppressed = async () =>
    (await call('suppression.ls', {})).addresses.map(
      (row: { address: string; class: string }) => `${row.address} ${row.class}`,
    );
  const anna = await send('anna@example.org');
  assert.match(anna.from, new RegExp(`^bounce\\+${anna.id}\\.[0-9a-f]{8}@example\\.org$`));

  const delayed = deliveryReport(anna.from, {
    recipient: 'anna@example.org',
    status: '4.4.1',
    action: 'delayed',
  });
  const taken = await call('mail.report', { content: delayed });
  // Databases take no zero character.
  assert.deepEqual([taken.isSuppressed, taken.reason], [false, '550 5.1.1 User unknown here']);
  assert.deepEqual([await state(anna.id), await suppressed()], ['sent', []]);

  // Somebody guesses the address of the bounces, or quotes a Message-ID and another recipient.
  const dead = { recipient: 'anna@example.org', status: '5.1.1', action: 'failed' };
  const guessed = deliveryReport(`bounce+${anna.id}.00000000@example.org`, {
    ...dead,
    recipient: 'other@example.org',
    messageId: `<${anna.id}@example.org>`,
  });
  assert.equal((await call('mail.report', { content: guessed })).mail, '');
  assert.deepEqual(await suppressed(), []);

  const bounced = await call('mail.report', { content: deliveryReport(anna.from.toUpperCase(), dead) });
  assert.deepEqual(bounced, {
    kind: 'bounce',
    mail: anna.id,
    isSuppressed: true,
    reason: '550 5.1.1 User unknown here',
  });
  assert.deepEqual([await state(anna.id), await suppressed()], ['bounced', ['anna@example.org ']]);

  // A full mailbox, a suspicion of spam: the mail came back, but the address is alive.
  const full = await send('full@example.org');
  const returned = deliveryReport(full.from, {
    recipient: 'full@example.org',
    status: '5.2.2',
    action: 'failed',
    why: '552 5.2.2 mailbox full',
  });
  assert.equal((await call('mail.report', { content: returned })).isSuppressed, false);
  assert.deepEqual([await state(full.id), await suppressed()], ['bounced', ['anna@example.org ']]);

  // Without a signed address, the quoted Message-ID and the recipient together will do.
  const bert = await send('bert@example.org');
  const quoted = deliveryReport('shop@example.org', {
    ...dead,
    recipient: 'bert@example.org',
    messageId: `<${bert.id}@example.org>`,
  });
  assert.equal((await call('mail.report', { content: quoted })).mail, bert.id);

  // Servers that keep to no standard.
  const cyril = await send('cyril@example.org');
  const plain = lines(
    'From: MAILER-DAEMON@old.example',
    `To: ${cyril.from}`,
    'Subject: failure notice',
    '',
    'Hi. This is the qmail-send program.',
    'Sorry, no such user here.',
    '',
  );
  assert.deepEqual((await call('mail.report', { content: plain })).reason, 'Sorry, no such user here.');

  const dora = await send('dora@example.org', 'news');
  const complaint = lines(
    'From: feedback@provider.example',
    'To: abuse@example.org',
    'Subject: complaint',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Spam.',
    '',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    'Feedback-Type: abuse',
    'Original-Rcpt-To: <dora@example.org>',
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    `Message-ID: <${dora.id}@example.org>`,
    '',
    'x',
    '--b--',
    '',
  );
  assert.deepEqual(
    [(await call('mail.report', { content: complaint })).kind, (await suppressed()).at(-1)],
    ['complaint', 'dora@example.org bulk'],
  );

  const spam = lines(
    'From: somebody@example.net',
    'To: bounce@example.org',
    'Subject: Buy',
    '',
    '550 user unknown',
  );
  assert.equal((await call('mail.report', { content: spam })).kind, 'other');
});

test('a mail to the signed address in List-Unsubscribe unsubscribes; a guessed address and an out-of-office note do not', async (t) => {
  const { call, received, reaches } = await runMailHouse(t, {
    mail: { unsubscribeAddress: 'leave@example.org' },
  });
  await call('mailtype.create', {
    code: 'news',
    sender: 'a@example.org',
    subject: 'x',
    template: 'x',
    class: 'bulk',
  });
  const { id } = await call('mail.send', { type: 'news', to: 'anna@example.org' });
  await reaches(id, 'sent');
  const head = received[0]?.content.toString('latin1').replaceAll('\r\n ', ' ') ?? '';
  const [, address = ''] =
    /^List-Unsubscribe: <http[^>]*>, <mailto:([^?>]*)\?subject=unsubscribe>\r$/m.exec(head) ?? [];
  assert.match(address, new RegExp(`^leave\\+${id}\\.[0-9a-f]{8}@example\\.org$`));
  const take = (to: string, subject = 'unsubscribe', ...more: string[]) =>
    call('mail.report', {
      content: lines('From: anna@example.org', `To: ${to}`, `Subject: ${subject}`, ...more, '', ''),
    });
  assert.equal((await take(address.replace(/\.[0-9a-f]{8}@/, '.00000000@'))).kind, 'other');
  const isAutomatic = 'Auto-Submitted: auto-replied';
  assert.equal((await take(address, 'I am away', isAutomatic)).kind, 'other');
  assert.deepEqual((await call('suppression.ls', {})).addresses, []);
  // Apple Mail says of a click on "unsubscribe" that it was automatic.
  assert.deepEqual(await take(address.toUpperCase(), 'unsubscribe', isAutomatic), {
    kind: 'unsubscription',
    mail: id,
    isSuppressed: true,
    reason: 'from class bulk',
  });
  const { id: later } = await call('mail.send', { type: 'news', to: 'anna@example.org' });
  await reaches(later, 'suppressed');
  // Orders still arrive.
  const { id: order } = await call('mail.send', { type: 'order', to: 'anna@example.org' });
  await reaches(order, 'sent');
});
