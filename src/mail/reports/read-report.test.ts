import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTime } from '../../engine/testing/cpu-time.ts';
import { isDeadAddress } from './dead-address-words.ts';
import { readReport } from './read-report.ts';

test('the words of servers: dead addresses are told from full mailboxes, policies and trouble that passes', () => {
  const dead = [
    '550 5.1.1 <anna@example.org>: Recipient address rejected: User unknown in virtual mailbox table', // Postfix
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup', // Exchange
    '550 5.4.1 Recipient address rejected: Access denied. [AM1.prod.protection.outlook.com]', // Exchange Online
    "554 delivery error: dd This user doesn't have a yahoo.com account (anna@yahoo.com) [0]",
    '550-5.1.1 The email account that you tried to reach does not exist.', // Gmail
    'Sorry, no mailbox here by that name. (#5.1.1)', // qmail
    '550 Unrouteable address', // Exim
    '550 No such user here',
    '5.0.0 (permanent failure) 550 Unknown user anna@example.org',
  ];
  const alive = [
    '552 5.2.2 The email account that you tried to reach is over quota.',
    '550 5.7.1 Message rejected as spam by Content Filtering.',
    '550 5.7.26 Unauthenticated email is not accepted due to the DMARC policy of the domain',
    "550 5.1.0 - Unknown address error 550-'5.7.1 Access denied'",
    '553 5.1.8 Domain of sender address shop@example.org does not exist',
    '554 5.7.1 Client host rejected: blocked using zen.spamhaus.org',
    '450 4.1.1 Recipient address rejected: User unknown',
    '550-5.2.1 The user you are trying to contact is receiving mail at a rate that prevents delivery',
    'retry timeout exceeded',
  ];
  for (const answer of dead) assert.equal(isDeadAddress(answer), true, answer);
  for (const answer of alive) assert.equal(isDeadAddress(answer), false, answer);
});

const read = (...lines: string[]) => readReport(Buffer.from(lines.join('\r\n')));

test('a bounce in plain words: what our own quoted mail says is no reason, and its Message-ID names it', async () => {
  const bounce = [
    'Return-Path: <>',
    'From: Mail Delivery System <Mailer-Daemon@mx.example>',
    'To: shop@example.org',
  ];
  const copy = ['', '------ This is a copy of the message, including all the headers. ------', ''];
  const ours = [
    'Return-Path: <bounce+mail-2.0123abcd@example.org>',
    'Message-ID: <mail-1@example.org>',
    '',
    '550 no such user',
  ];
  const full = await read(
    ...bounce,
    'Subject: failed',
    '',
    '  anna@example.org',
    '    mailbox is full',
    ...copy,
    ...ours,
  );
  assert.deepEqual([full.kind, full.isReturned, full.isDead], ['bounce', true, false]);
  assert.deepEqual([full.recipients, full.candidates], [['anna@example.org'], ['mail-2.0123abcd', 'mail-1']]);
  const gone = await read(
    ...bounce,
    'Subject: failed',
    '',
    '<anna@example.org>: 550 no such user',
    ...copy,
    ...ours,
  );
  assert.deepEqual([gone.isDead, gone.reason], [true, '<anna@example.org>: 550 no such user']);
  const late = await read(
    ...bounce,
    'Subject: Warning: message delayed 24 hours',
    '',
    'anna@example.org',
    '',
  );
  assert.deepEqual([late.kind, late.isReturned], ['bounce', false]);
});

test('a mail that is made to keep us busy is read like any other', async () => {
  const head = ['Return-Path: <>', 'From: mailer-daemon@mx.example', 'Subject: failed'];
  for (const piece of ['a', '\r\n', '-', '> ', '<a ', '<style ', 'a@', '5.1.1 550 \r\n', 'user '])
    for (const type of ['text/plain', 'text/html']) {
      const { kind } = await read(...head, `Content-Type: ${type}`, '', piece.repeat(150_000 / piece.length));
      assert.equal(kind, 'bounce');
    }
});

test('40,000 empty parts in a bounce cost a moment, and what it says before them counts', async () => {
  const parts = ['Content-Type: text/plain\r\n\r\n550 5.1.1 user unknown\r\n'];
  const mail = Buffer.from(
    `From: mailer-daemon@example.net\r\nSubject: failed\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${parts.join('')}${'--b\r\n\r\n'.repeat(40_000)}--b--`,
  );
  let report: Awaited<ReturnType<typeof readReport>> | undefined;
  // The parser is loaded.
  await readReport(Buffer.from('Subject: x\r\n\r\ny'));
  const ms = await cpuTime(async () => {
    report = await readReport(mail);
  });
  assert.equal(report?.isDead, true);
  assert.ok(ms < 150, `${ms} ms`);
});

test('250,000 empty lines in a bounce cost a moment, and what it says before them counts', async () => {
  const mail = Buffer.from(
    `From: mailer-daemon@example.net\r\nSubject: failed\r\n\r\n550 5.1.1 user unknown\r\n${'\n'.repeat(250_000)}`,
  );
  let report: Awaited<ReturnType<typeof readReport>> | undefined;
  await readReport(Buffer.from('Subject: x\r\n\r\ny'));
  const ms = await cpuTime(async () => {
    report = await readReport(mail);
  });
  assert.equal(report?.isDead, true);
  assert.ok(ms < 500, `${ms} ms`);
});

test('an out-of-office note is no bounce, even if nobody is to answer it and it names an error', async () => {
  for (const header of [
    'Auto-Submitted: auto-replied',
    'Subject: Automatic reply: News',
    'X-Autoreply: yes',
  ]) {
    const note = await read(
      'Return-Path: <>',
      'From: anna@example.org',
      header,
      '',
      'Room 550 no such user',
      '',
    );
    assert.deepEqual([note.kind, note.isFromPerson], ['other', false], header);
  }
});

test('complaints: Outlook’s, which keep to no standard; a report of DMARC, or that a mail is no spam, is none', async () => {
  const outlook = await read(
    'From: staff@hotmail.com',
    'Subject: complaint about message from 192.0.2.1',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="b"',
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    'X-HmXmrOriginalRecipient: anna@outlook.com',
    'Message-ID: <mail-1@example.org>',
    '',
    'x',
    '--b--',
    '',
  );
  assert.deepEqual(
    [outlook.kind, outlook.recipients, outlook.candidates],
    ['complaint', ['anna@outlook.com'], ['mail-1']],
  );
  const report = (type: string) =>
    read(
      'From: a@example.net',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; boundary="b"',
      '',
      '--b',
      'Content-Type: message/feedback-report',
      '',
      `Feedback-Type: ${type}`,
      'Original-Mail-From: <bounce+mail-1.0123abcd@example.org>',
      '',
      '--b--',
      '',
    );
  const abuse = await report('abuse');
  assert.deepEqual([abuse.kind, abuse.candidates], ['complaint', ['mail-1.0123abcd']]);
  assert.deepEqual(
    [(await report('auth-failure')).kind, (await report('not-spam')).kind],
    ['other', 'other'],
  );
});
