import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuTime } from '../../engine/testing/cpu-time.ts';
import { addressKey, formatContact, parseContact, wireAddress } from './address.ts';
import { checkMail, mailFromJson } from './mail.ts';

test('an address may use other scripts; its domain goes to the wire in ASCII', () => {
  const { name, address } = parseContact('Žofie Nováková <žofie@PŘÍKLAD.cz>');
  assert.deepEqual([name, address], ['Žofie Nováková', 'žofie@příklad.cz']);
  assert.equal(wireAddress(address), 'žofie@xn--pklad-zsa96e.cz');
  assert.equal(addressKey('Anna@Example.org'), addressKey('anna@example.ORG'));
});

test('a contact as one line is read as it was, whatever its name is', () => {
  for (const name of ['Anna', '"A" and "B"', '"Anna"', 'A <3', 'a\\b', 'x, y', '"']) {
    const contact = { name, address: 'anna@example.org' };
    assert.deepEqual(parseContact(formatContact(contact)), contact);
  }
});

test('what would end a command or a header is refused, and so is what no server takes', () => {
  const bad = [
    '',
    'anna',
    '@example.org',
    'anna@',
    'a b@example.org',
    'anna@exa mple.org',
    'anna@-x.org',
    'a..b@example.org',
  ];
  const injected = [
    'anna@example.org\r\nBcc: x@y.z',
    'anna\r\n@example.org',
    'anna@example.org\n',
    '\r\nanna@example.org',
    'Anna <anna@example.org>\r\n',
    'anna@example.org>\r\nDATA',
    'anna@exam\0ple.org',
    '"a b"@example.org',
    'an\ud800na@example.org',
  ];
  for (const text of [...bad, ...injected, `${'a'.repeat(65)}@example.org`, `a@${'b.'.repeat(130)}org`])
    assert.throws(() => parseContact(text), /is not a mail address/, JSON.stringify(text));
  assert.throws(() => parseContact('Anna\r\nBcc: x@y.z <anna@example.org>'), /line break/);
});

test('a mail without recipient cannot be built; extra fields of the application are kept', () => {
  assert.throws(() => checkMail({ type: 'order' }), /needs a recipient/);
  assert.throws(() => checkMail({ type: 'order', to: null }), /needs a recipient/);
  assert.throws(() => mailFromJson('{"type": '), /not JSON/);
  const circle: { self?: object } = {};
  circle.self = circle;
  const nested = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  const order = { type: 'order', to: 'anna@example.org' };
  assert.throws(
    () => checkMail({ ...order, data: circle }),
    /^PismakError: data: .*JSON: Converting circular/,
  );
  assert.throws(() => checkMail({ ...order, data: { n: 7n } }), /^PismakError: data: .* BigInt/);
  assert.throws(() => checkMail({ ...order, data: { nested } }), /^PismakError: data: .*nested too deeply/);
  assert.throws(() => checkMail({ ...order, own: nested }), /^PismakError: own: .*nested too deeply/);
  assert.throws(() => checkMail({ type: 'order', to: 'anna@example.org', subject: 'a\r\nb' }), /one line/);
  const inline = (name: string) => ({ ...order, attachments: [{ name, path: 'x', inline: true }] });
  assert.throws(() => checkMail(inline('obrázek.png')), /the name of an inline file/);
  for (const name of ['a\0b', 'a\nb', 'a\ud800', '../b'])
    assert.throws(() => checkMail(inline(name)), /must be a plain file name/);
  checkMail(inline('logo-2.png'));
  const mail = checkMail({ type: 'order', to: 'anna@example.org', orderNumber: 7, tags: ['a'] });
  assert.deepEqual([mail.orderNumber, mail.tags], [7, ['a']]);
  assert.deepEqual(mailFromJson(JSON.stringify(mail)), mail);
});

test('blanks, brackets and dots without end are refused at once', async () => {
  for (const text of [
    ' '.repeat(30_000),
    `a${' '.repeat(30_000)}b`,
    '<'.repeat(30_000),
    `a@${'ž.'.repeat(30_000)}cz`,
  ]) {
    const spent = await cpuTime(() => assert.throws(() => parseContact(text), /is not a mail address/));
    assert.ok(spent < 100, `${spent} ms for ${text.slice(0, 5)}`);
  }
});
