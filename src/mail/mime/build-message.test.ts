import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { readKey } from '../compose/read-key.ts';
import { mailSettings } from '../settings/settings.ts';
import { compileTemplate } from '../templates/compile.ts';
import { buildMessage } from './build-message.ts';
import { readDkimKey } from './dkim.ts';
import { header } from './headers.ts';
import { quotedPrintable } from './quoted-printable.ts';
import { buildSkeleton } from './skeleton.ts';

const html = `<p>Dobrý den, Žofie!</p>\n<p>.tečka na začátku</p>\n${'dlouhý řádek '.repeat(200)}`.trim();
const rendered = {
  subject: `Objednávka č. 7 ${'přijata '.repeat(20)}`.trim(),
  text: 'Dobrý den\nřádek  \n.\nkonec',
};
const parts = {
  id: '018f-1',
  from: { name: 'Obchod "U Žáby"', address: 'shop@example.org' },
  to: { name: 'Žofie Nováková', address: 'zofie@příklad.cz' },
  content: {
    subject: rendered.subject,
    html: quotedPrintable(html),
    text: quotedPrintable(rendered.text),
  },
  language: 'cs',
  createdAt: 1_790_000_000_000,
  unsubscribeUrl: 'https://shop.example.org/m/abc/unsubscribe',
  isBulk: true,
};
const attachments = [{ name: 'účet č. 7.txt', content: Buffer.from('zaplaceno, děkujeme\n') }];

test('another parser reads what we wrote: names, subject, both parts, attachment', async () => {
  const message = await buildMessage(parts, await buildSkeleton(attachments), undefined);
  const parsed = await PostalMime.parse(message);
  assert.deepEqual([parsed.from?.name, parsed.from?.address], [parts.from.name, 'shop@example.org']);
  assert.deepEqual(
    [parsed.to?.[0]?.name, parsed.to?.[0]?.address],
    [parts.to.name, 'zofie@xn--pklad-zsa96e.cz'],
  );
  assert.equal(parsed.subject, rendered.subject);
  assert.equal(parsed.html?.trimEnd(), html);
  assert.equal(parsed.text?.trimEnd(), rendered.text);
  assert.equal(parsed.messageId, '<018f-1@example.org>');
  assert.equal(parsed.attachments[0]?.filename, 'účet č. 7.txt');
  assert.equal(
    Buffer.from(parsed.attachments[0]?.content as ArrayBuffer).toString(),
    'zaplaceno, děkujeme\n',
  );
  assert.match(message.toString('latin1'), /^Content-Type: text\/plain; charset=utf-8;\s+name=/im);
  for (const line of message.toString('latin1').split('\r\n'))
    assert.ok(line.length <= 998 && !line.includes('\n'));
});

test('no line of the head is longer than 76 characters, however long subject and names are', async () => {
  const subjects = ['Ž'.repeat(200), 'word '.repeat(60), '😀'.repeat(100)];
  for (const subject of subjects) {
    const to = { name: `Nováková, ${'Ž'.repeat(60)}`, address: `${'a'.repeat(40)}@example.org` };
    const message = await buildMessage(
      { ...parts, to, content: { ...parts.content, subject } },
      await buildSkeleton([]),
      undefined,
    );
    const head = message.toString('latin1', 0, message.indexOf('\r\n\r\n'));
    for (const line of head.split('\r\n')) assert.ok(line.length <= 76, line);
    const parsed = await PostalMime.parse(message);
    assert.deepEqual([parsed.subject, parsed.to?.[0]], [subject.trim(), to]);
  }
});

for (const kind of ['rsa', 'ed25519'] as const) {
  test(`mailauth verifies our DKIM signature with ${kind}, and finds both unsubscribe headers signed`, async () => {
    const { privateKey, publicKey } =
      kind === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const raw = publicKey.export({ type: 'spki', format: 'der' });
    const published = (kind === 'rsa' ? raw : raw.subarray(-32)).toString('base64');
    const key = readDkimKey('example.org', 'mail', pem);
    const message = await buildMessage(parts, await buildSkeleton(attachments), key);
    const { dkimVerify } = await import('mailauth/lib/dkim/verify.js');
    const verify = async (bytes: Buffer) => {
      const { results } = await dkimVerify(bytes, {
        resolver: async () => [[`v=DKIM1; k=${kind}; p=${published}`]],
      });
      return results[0];
    };
    const result = await verify(message);
    assert.equal(result?.status.result, 'pass', JSON.stringify(result?.status));
    assert.match(result?.signingHeaders?.keys ?? '', /List-Unsubscribe: List-Unsubscribe-Post/i);
    const forged = Buffer.from(message.toString('latin1').replace('dlouh', 'DLOUH'), 'latin1');
    assert.equal((await verify(forged))?.status.result, 'neutral');
    const added = Buffer.concat([
      message.subarray(0, message.indexOf('From:')),
      Buffer.from('From: thief@example.org\r\n'),
      message.subarray(message.indexOf('From:')),
    ]);
    assert.notEqual((await verify(added))?.status.result, 'pass');
  });
}

test('a key that can’t sign keeps the mail from leaving', async () => {
  const skeleton = await buildSkeleton([]);
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await assert.rejects(
    buildMessage(parts, skeleton, { domain: 'example.org', selector: 'mail', key: publicKey }),
  );
  assert.throws(() => readDkimKey('example.org', 'mail', 'no key'), /not a private key in PEM/);
  // Nothing starts with such settings: every mail would fail for good.
  const settings = mailSettings.parse({ dkimDomain: 'example.org' });
  await assert.rejects(readKey(settings), /set mail\.dkimKeyFile/);
  await assert.rejects(
    readKey({ ...settings, dkimKeyFile: '/nowhere/key.pem' }),
    /key\.pem \(mail\.dkimKeyFile\) can't be read: there is no such file/,
  );
});

test('no value smuggles a line into the header', () => {
  for (const value of ['a\r\nBcc: thief@example.org', 'a\nb', 'a\rb', 'a\0b'])
    assert.throws(() => header('Subject', value), /line break/);
});

test('quoted-printable gives back every text, in short lines of ASCII', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('a', 'ž', ' ', '\t', '=', '.', '\n', '€', '😀', '\u0000'),
        maxLength: 400,
      }),
      (text) => {
        const encoded = quotedPrintable(text).toString('latin1');
        for (const line of encoded.split('\r\n')) {
          assert.ok(line.length <= 76 && !line.startsWith('.') && !/[ \t]$/.test(line), line);
        }
        assert.match(encoded, /^[\x20-\x7e\r\n\t]*$/);
        const bytes = encoded
          .replaceAll('=\r\n', '')
          .replaceAll(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
        assert.equal(Buffer.from(bytes, 'latin1').toString('utf8'), text.replaceAll('\n', '\r\n'));
      },
    ),
  );
});

test('the whole way: template to mail', async () => {
  const type = {
    code: 'order',
    template: '<p>Dobrý den, {{ name }}</p>',
    subject: 'Objednávka {{ number }}',
    translations: {},
    language: 'cs',
    text: undefined,
  };
  const content = (await compileTemplate(type, 'cs')).encode({ name: '<Anna>', number: 7 });
  const parsed = await PostalMime.parse(
    await buildMessage({ ...parts, content }, await buildSkeleton([]), undefined),
  );
  assert.equal(parsed.subject, 'Objednávka 7');
  assert.equal(parsed.html?.trim(), '<p>Dobrý den, &lt;Anna&gt;</p>');
  assert.equal(parsed.text?.trim(), 'Dobrý den, <Anna>');
});
