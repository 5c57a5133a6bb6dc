import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { cpuTime } from '../../../engine/testing/cpu-time.ts';
import { convertDocument, kindOf, readFeed, readMbox, readSitemap } from '../index.ts';
import { makeCompound, makeDoc, makeOldDoc, makePdf, makeZip } from './testing/make-files.ts';

const url = 'http://www.example.cz/files/x';
const core =
  '<cp:coreProperties><dc:title>Kronika &amp; obec</dc:title><dc:creator>Jan Novák</dc:creator><dcterms:created>2024-05-05T10:00:00Z</dcterms:created></cp:coreProperties>';
const relations =
  '<Relationships><Relationship Id="rId1" Target="http://a.cz/x" TargetMode="External"/><Relationship Id="rId2" Target="styles.xml"/></Relationships>';

const docx = makeZip({
  'word/document.xml':
    '<w:document><w:body><w:p><w:r><w:t>První </w:t></w:r><w:r><w:t>odstavec.</w:t></w:r><w:r><w:instrText>HYPERLINK</w:instrText></w:r></w:p><w:p/><w:p><w:del><w:r><w:t>smazáno</w:t></w:r></w:del><w:r><w:t>Druhý</w:t><w:tab/><w:t>&lt;text&gt;</w:t></w:r></w:p></w:body></w:document>',
  'word/_rels/document.xml.rels': relations,
  'docProps/core.xml': core,
});
const odt = makeZip({
  mimetype: 'application/vnd.oasis.opendocument.text',
  'content.xml':
    '<office:body><office:text><text:h>Nadpis</text:h><text:p>Text <text:span>s</text:span><text:s/><text:a xlink:href="http://a.cz/x">odkazem</text:a>.<office:annotation><text:p>poznámka</text:p></office:annotation></text:p></office:text></office:body>',
  'meta.xml': '<dc:title>Kronika &amp; obec</dc:title>',
  'META-INF/manifest.xml': '',
});
const pptx = makeZip({
  'ppt/presentation.xml': '',
  'ppt/slides/slide10.xml': '<a:p><a:r><a:t>Desátý</a:t></a:r></a:p>',
  'ppt/slides/slide2.xml': '<a:p><a:r><a:t>Druhý</a:t></a:r></a:p>',
  'ppt/slides/_rels/slide2.xml.rels': relations,
});
const rtf = Buffer.from(
  "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset238 Arial CE;}}{\\info{\\title Kronika & obec}{\\author Jan}}{\\*\\generator x;}\\f1 P\\'f8\\'edli\\'9a \\u382?lu\\u357?ou\\'e8k\\'fd{\\pict 0102}\\par\nk\\{u\\}\\~n {\\field{\\*\\fldinst HYPERLINK \"http://a.cz/x\"}{\\fldrslt odkaz}}\\line konec}",
  'latin1',
);

const files: [kind: string, bytes: Buffer, text: string, links: string[]][] = [
  ['docx', docx, 'První odstavec.\n\nDruhý\t<text>', ['http://a.cz/x']],
  ['odt', odt, 'Nadpis\n\nText s odkazem.', ['http://a.cz/x']],
  ['pptx', pptx, 'Druhý\n\n\nDesátý', ['http://a.cz/x']],
  ['rtf', rtf, 'Příliš žluťoučký\n\nk{u}\u00a0n odkaz\nkonec', ['http://a.cz/x']],
  [
    'doc',
    makeDoc('Prvni odstavec\r\x13 HYPERLINK "http://a.cz/x" \x14odkaz\x15 a\x07b\x07\x07', 'žluťoučký kůň\r'),
    'Prvni odstavec\n\nodkaz a\tb\nžluťoučký kůň',
    ['http://a.cz/x'],
  ],
  [
    'pdf',
    makePdf('The chronicle of a village', 'http://a.cz/(x)'),
    'The chronicle of a village',
    ['http://a.cz/(x)'],
  ],
];

for (const [kind, bytes, text, links] of files) {
  test(`text and links of ${kind} are read, whatever its name says`, async () => {
    const converted = await convertDocument(bytes, { url, contentType: 'application/octet-stream' });
    assert.equal(converted?.kind, kind);
    assert.equal(converted.text, text);
    assert.deepEqual(converted.links, links);
    if (kind !== 'doc' && kind !== 'pptx') assert.equal(converted.title, 'Kronika & obec');
    if (kind === 'pdf') assert.equal(converted.date, '2024-05-05T10:00:00+02:00');
  });

  test(`a broken ${kind} is refused or read as far as it goes, and never hangs`, async () => {
    for (let cut = 0; cut < 20; cut += 1) {
      const broken = Buffer.from(bytes.subarray(0, Math.floor((bytes.length * (cut + 1)) / 20)));
      for (let at = cut; at < broken.length; at += 97) broken[at] = (broken[at] ?? 0) ^ (cut * 13);
      try {
        const converted = await convertDocument(broken, { url });
        if (converted !== undefined) assert.ok(converted.text.isWellFormed());
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'invalid-input');
      }
    }
  });
}

test('a page that a server calls a file keeps its rules for robots', async () => {
  const page = Buffer.from(
    '<html><meta name=robots content=noindex><a href="/a">a</a><a href="/b" rel=nofollow>b</a></html>',
  );
  const converted = await convertDocument(page, { url, contentType: 'application/octet-stream' });
  assert.deepEqual(converted?.metaRobots, ['noindex']);
  assert.deepEqual(converted.links, ['http://www.example.cz/a']);
});

test('rows of a table are lines, and stops for tabs are no text', async () => {
  const cell = (text: string) =>
    `<w:tc><w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`;
  const row = (...texts: string[]) => `<w:tr>${texts.map(cell).join('')}</w:tr>`;
  const table = makeZip({
    'word/document.xml': `<w:tbl>${row('Jméno', 'Věk')}${row('Řehoř', '42')}</w:tbl><w:p><w:r><w:t>Konec.</w:t></w:r></w:p>`,
  });
  assert.equal((await convertDocument(table, { url }))?.text, 'Jméno\tVěk\nŘehoř\t42\nKonec.');
});

test('a document of Word 95 is read in the charset of its fonts', async () => {
  const text = Buffer.from('P\xf8\xedli\x9a \x9elu\x9dou\xe8k\xfd k\xf9\xf2', 'latin1');
  const converted = await convertDocument(makeOldDoc(text, 238), { url });
  assert.equal(converted?.text, 'Příliš žluťoučký kůň');
});

test('an encrypted document says so', async () => {
  const encrypted = makeCompound([['EncryptedPackage', Buffer.alloc(4096)]]);
  await assert.rejects(() => convertDocument(encrypted, { url }), /it is encrypted/);
});

test('a document in an archive that was cut in its comment, or has bytes behind it, is read', async () => {
  const cut = Buffer.from(docx);
  cut.writeUInt16LE(7, cut.length - 2);
  for (const bytes of [cut, Buffer.concat([docx, Buffer.from('\r\n')])])
    assert.match((await convertDocument(bytes, { url }))?.text ?? '', /První odstavec/);
});

test('RTF of other programs: lines end with a backslash, the usual font has a charset, a star may be anywhere', async () => {
  const bytes = Buffer.from(
    "{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fcharset238 Arial CE;}}P\\'f8\\'edli\\'9a\\\n{\\b0\\*\\cs7 druh\\'e1}\\plain\\ v\\'ec\\'9d \\'01}",
    'latin1',
  );
  assert.equal((await convertDocument(bytes, { url }))?.text, 'Příliš\n\ndruhávěť');
});

test('plain text is decoded, and its addresses are links', async () => {
  const bytes = Buffer.concat([
    Buffer.from('Viz http://a.cz/x, '),
    Buffer.from([0x9e, 0x6c, 0x75, 0x9d]),
    Buffer.from('\r\nkonec'),
  ]);
  const converted = await convertDocument(bytes, {
    url: 'http://a.cz/readme.txt',
    contentType: 'text/plain',
  });
  assert.equal(converted?.text, 'Viz http://a.cz/x, žluť\nkonec');
  assert.deepEqual(converted.links, ['http://a.cz/x']);
});

test('images and other files are nothing with text', () => {
  assert.equal(kindOf(Buffer.from('\x89PNG\r\n\x1a\n'), { url }), undefined);
  assert.equal(kindOf(makeZip({ 'a.jpg': 'x' }), { url }), undefined);
  assert.equal(kindOf(Buffer.from('\0\x01\x02'), { url: 'http://a.cz/a.txt' }), undefined);
});

test('items of an RSS feed are read', () => {
  const feed = readFeed(
    Buffer.from(`<?xml version="1.0" encoding="utf-8"?><rss><channel><title>Noviny</title><link>http://a.cz/</link>
      <item><title>První &amp;amp; druhá</title><link>/clanek?utm_source=rss</link><pubDate>Sun, 05 May 2024 10:00:00 GMT</pubDate>
      <dc:creator>Jan</dc:creator><description><![CDATA[<p>Text <a href="/dal">dál</a></p>]]></description></item>
      <item><guid>http://a.cz/2</guid><description>&lt;b&gt;Tučný&lt;/b&gt; text</description></item></channel></rss>`),
    { url: 'http://a.cz/rss' },
  );
  assert.equal(feed.title, 'Noviny');
  assert.deepEqual(feed.items, [
    {
      title: 'První & druhá',
      text: 'Text dál',
      url: 'http://a.cz/clanek',
      author: 'Jan',
      date: '2024-05-05T10:00:00.000Z',
    },
    { title: '', text: 'Tučný text', url: 'http://a.cz/2' },
  ]);
  assert.deepEqual(feed.links, ['http://a.cz/dal']);
});

test('entries of an Atom feed are read', () => {
  const feed = readFeed(
    Buffer.from(`<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><link rel="next" href="?page=2"/><entry><title type="html">A &lt;i&gt;B&lt;/i&gt;</title>
      <link rel="self" href="/x.xml"/><link href="/x"/><author><name>Eva</name></author><updated>2024-05-05T10:00:00Z</updated><content type="html">Ahoj</content></entry></feed>`),
    { url: 'http://a.cz/atom' },
  );
  assert.deepEqual(feed.items, [
    { title: 'A B', text: 'Ahoj', url: 'http://a.cz/x', author: 'Eva', date: '2024-05-05T10:00:00.000Z' },
  ]);
  assert.deepEqual(feed.links, ['http://a.cz/atom?page=2']);
});

/** Bytes in small pieces, as they come from a network. */
async function* pieces(bytes: Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test('addresses of a sitemap come one by one, packed or not, and sitemaps are told from pages', async () => {
  const xml = `<?xml version="1.0"?><urlset><url><loc>http://a.cz/1?a=1&amp;b=2</loc><lastmod>2024-05-05</lastmod><image:image><image:loc>http://a.cz/i.jpg</image:loc></image:image></url>
    <url><loc><![CDATA[http://a.cz/ž]]></loc></url><url><loc>nonsense:</loc></url></urlset>`;
  const expected = [
    { url: 'http://a.cz/1?a=1&b=2', isSitemap: false, lastModified: '2024-05-05' },
    { url: 'http://a.cz/%C5%BE', isSitemap: false },
  ];
  assert.deepEqual(await Array.fromAsync(readSitemap(pieces(Buffer.from(xml)))), expected);
  assert.deepEqual(await Array.fromAsync(readSitemap(pieces(gzipSync(xml)))), expected);
  const index = '<sitemapindex><sitemap><loc>http://a.cz/s1.xml</loc></sitemap></sitemapindex>';
  assert.deepEqual(await Array.fromAsync(readSitemap(Readable.from([Buffer.from(index)]))), [
    { url: 'http://a.cz/s1.xml', isSitemap: true },
  ]);
  const lines = await Array.fromAsync(readSitemap(pieces(Buffer.from('http://a.cz/1\nhttp://a.cz/2'))));
  assert.deepEqual(
    lines.map((entry) => entry.url),
    ['http://a.cz/1', 'http://a.cz/2'],
  );
});

test('a torn gzip of a sitemap gives what came before', async () => {
  const xml = `<urlset>${Array.from({ length: 3000 }, (_, number) => `<url><loc>http://a.cz/${number * 7919}</loc></url>`).join('')}</urlset>`;
  const packed = gzipSync(xml);
  const found = await Array.fromAsync(readSitemap(pieces(packed.subarray(0, packed.length >> 1), 500)));
  assert.ok(found.length > 1000 && found.length < 3000, `${found.length} of 3000`);
  const urls = found.map((entry) => entry.url);
  assert.deepEqual(
    urls,
    urls.map((_, number) => `http://a.cz/${number * 7919}`),
  );
});

test('messages of an mbox archive are read, with their charsets and encodings', async () => {
  const mbox = Buffer.concat([
    Buffer.from(`From jan@a.cz Sun May  5 10:00:00 2024
From: =?iso-8859-2?Q?Jan_Nov=E1k?= <jan@a.cz>
Subject: =?utf-8?B?${Buffer.from('Příliš').toString('base64')}?=
 =?utf-8?B?${Buffer.from(' žluťoučký').toString('base64')}?=
Date: Sun, 5 May 2024 10:00:00 +0200
Message-ID: <1@a.cz>
Content-Type: text/plain; charset=iso-8859-2
Content-Transfer-Encoding: quoted-printable

P=F8=EDli=B9 dlouh=E1 =
v=ECta.
>From here on.

From eva@a.cz Sun May  5 11:00:00 2024
From: Eva
Subject: Re: x
In-Reply-To: <1@a.cz>
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: multipart/alternative; boundary=c

--c
Content-Type: text/html; charset=utf-8

<p>HTML <a href="http://a.cz/x">x</a></p>
--c
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: base64

${Buffer.from('Prostý text').toString('base64')}
--c--
--b
Content-Type: application/pdf
Content-Disposition: attachment

JVBERi0=
--b--
`),
  ]);
  const messages = await Array.fromAsync(readMbox(pieces(mbox, 50)));
  assert.deepEqual(messages, [
    {
      subject: 'Příliš žluťoučký',
      from: 'Jan Novák <jan@a.cz>',
      text: 'Příliš dlouhá věta.\nFrom here on.',
      links: [],
      id: '1@a.cz',
      date: '2024-05-05T08:00:00.000Z',
    },
    { subject: 'Re: x', from: 'Eva', text: 'Prostý text', links: ['http://a.cz/x'], inReplyTo: '1@a.cz' },
  ]);
});

test('the kind of a file is known at once, whatever stands before its first element', async () => {
  const kind = (text: string) => kindOf(Buffer.from(text), { url: 'http://example.cz/x' });
  assert.equal(kind('\ufeff<?xml version="1.0"?>\n<!-- a --><!DOCTYPE rss>\n<!-- <b> -->\n<rss>'), 'feed');
  assert.equal(kind('<!-- a --><sm:urlset>'), 'sitemap');
  assert.equal(kind('<!-- <rss> -->'), undefined);
  for (const text of ['<!---->'.repeat(60), '<?x?>'.repeat(400), `From ${'x'.repeat(2000)}`]) {
    const spent = await cpuTime(() => assert.equal(kind(text), undefined));
    assert.ok(spent < 100, `${spent} ms for ${text.slice(0, 8)}`);
  }
});
