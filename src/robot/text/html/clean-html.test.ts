import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanHtml } from './clean-html.ts';
import { encodeText } from './encode-text.ts';

const url = 'http://www.example.cz/dir/page.html';
const textOf = (html: string) => cleanHtml(Buffer.from(html), { url }).text;

const claims: [claim: string, html: string, text: string][] = [
  [
    'inline elements do not break words, block elements break lines',
    '<p>jed<b>no</b>ho<div>dva<span>krát</span></div>tři',
    'jednoho\n\ndvakrát\n\ntři',
  ],
  ['white space is one space, <br> a new line', ' a \n\t b&nbsp;&nbsp;c<br>d<br/>\n e', 'a b c\nd\ne'],
  [
    'lists have a line for each item, rows of a table too, cells are parted',
    '<ul><li>a<li>b</ul><table><tr><td>1<td>2<tr><th>3</th><th>4</table>',
    'a\nb\n\n1\t2\n3\t4',
  ],
  ['<pre> keeps its lines', '<p>x<pre>\n a\n   b\n\nc</pre>y', 'x\n\n a\n   b\n\nc\n\ny'],
  [
    'scripts, styles and what is hidden are left out',
    'a<script>if (a<b) x("</p>")</script><style>p{}</style><p hidden>no</p><div style="color:red; display:none">no<p>no</div><template>no</template><noscript>no</noscript>b',
    'a\n\nb',
  ],
  [
    'a comment is left out, also an odd one',
    'a<!-- <p>no --> b<!--> c<!---> d<!-- -- > no -->e<!doctype html><?php no ?>f<![CDATA[no]]>g',
    'a b c defg',
  ],
  [
    'entities are characters',
    '&lt;b&gt; &amp;amp; &eacute; &#x10D; &#345; &euro;&hellip; &unknown; &copy AT&T &#xD800;',
    '<b> &amp; é č ř €… &unknown; © AT&T \ufffd',
  ],
  ['a lone < is text', 'a < b <3 c<=d <', 'a < b <3 c<=d <'],
  ['broken tags are no text', '<p class="a>b" title=\'<i>\' x=y>z</p  foo><div/>w<a href="', 'z\n\nw'],
  ['an element that is never closed hides nothing after its parent', '<div><p hidden>no</div>yes', 'yes'],
  ['<noscript> that is never closed hides nothing', 'a<noscript>b', 'ab'],
  ['an unclosed script hides the rest', 'a<script>b<p>c', 'a'],
  [
    'a script in a comment in a script does not end it',
    '<script><!-- <script> </script> no --></script>yes',
    'yes',
  ],
  [
    'scripts in a comment in a script end as in a browser',
    'a<script><!--<script></script><script></script>no --></script>b<script><!-- </script>c',
    'abc',
  ],
  [
    'the end tag of a script may have attributes, a comment may end with --!>',
    'a<script>no</script x=">" y>b<!-- no --!>c<!-- no -- > no -->d',
    'abcd',
  ],
  [
    'a drawing ends where it is closed or HTML begins, a template where it is closed',
    'a<svg/>b<div><svg><g>no<p>c</div><template><table><td>no</template>d<svg><desc><p>no</p></desc>no</svg>e',
    'ab\n\nc\n\nd\n\ne',
  ],
  ['a dialog is left out until it is open', 'a<dialog>no</dialog><dialog open>b</dialog>', 'a\nb'],
  ['invisible characters are left out', 'a\u00adb\u200bc\ufeffd\u0000e', 'abcde'],
  [
    'buttons are text, choices of a form are not',
    '<button>Hledat</button><select><option>a<option>b</select><textarea>c</textarea>',
    'Hledat',
  ],
];

for (const [claim, html, text] of claims) test(claim, () => assert.equal(textOf(html), text));

test('in XHTML a slash ends an element, in HTML it does not', () => {
  const source = Buffer.from('<p>a</p><script src="x"/><p hidden="hidden"/><p>b</p>');
  assert.equal(cleanHtml(source, { url, contentType: 'application/xhtml+xml' }).text, 'a\n\nb');
  assert.equal(cleanHtml(source, { url, contentType: 'text/html' }).text, 'a');
});

test('title, language, canonical address and rules for robots are read', () => {
  const page = cleanHtml(
    Buffer.from(`<html lang="cs"><title> Příliš &amp;\n žluťoučký </title><base href="/b/"><link rel=canonical href="../c?utm_source=x">
      <meta name=Robots content="NoIndex, nofollow"><meta name="googlebot" content="noarchive"><meta name="description" content="none of it">
      <meta name="tdm-reservation" content="1"><a href="d">x</a>`),
    { url },
  );
  assert.equal(page.title, 'Příliš & žluťoučký');
  assert.equal(page.language, 'cs');
  assert.equal(page.canonical, 'http://www.example.cz/c');
  assert.deepEqual(page.metaRobots, ['noindex, nofollow', 'googlebot: noarchive', 'tdm-reservation: 1']);
  assert.deepEqual(page.links, [{ url: 'http://www.example.cz/b/d', nofollow: true }]);
});

test('links are absolute, each once, and know nofollow', () => {
  const { links } = cleanHtml(
    Buffer.from(`<a href="a?x=1&amp;y=2#f">1</a><a href="a?x=1&y=2">2</a><A HREF=/b rel="external nofollow">3</A>
      <a href="mailto:x@y.cz">4</a><a href="#top">5</a><area href="c"><iframe src="d"></iframe><a name=x>6</a>
      <meta http-equiv=refresh content="5; URL='e'"><link rel=alternate type="application/rss+xml" href="/rss">`),
    { url },
  );
  assert.deepEqual(
    links.map(
      (link) => `${link.url.replace('http://www.example.cz', '')}${link.nofollow ? ' nofollow' : ''}`,
    ),
    ['/dir/a?x=1&y=2', '/b nofollow', '/dir/c', '/dir/d', '/dir/e', '/rss'],
  );
});

const oddLinks: [claim: string, html: string, links: string[]][] = [
  ['a base that no page can have is none', '<base href="javascript:x()"><a href=a>', ['/dir/a']],
  ['a refresh needs no url=', '<meta http-equiv=refresh content="0; a.html">', ['/dir/a.html']],
  [
    'of several kinds, a link has all',
    '<link rel="canonical shortlink" href=/c><link rel="alternate stylesheet" href=/s><link rel="next nofollow" href=/n><a href=a>',
    ['/n nofollow', '/dir/a'],
  ],
];

for (const [claim, html, expected] of oddLinks) {
  test(claim, () => {
    const found = cleanHtml(Buffer.from(html), { url }).links.map(
      (link) => `${link.url.replace('http://www.example.cz', '')}${link.nofollow ? ' nofollow' : ''}`,
    );
    assert.deepEqual(found, expected);
  });
}

test('letters in a query are asked for in the charset of the page', () => {
  const page = Buffer.from('<p>\x9alo</p><a href="/h\xe1j?q=\x9elu\x9d#x">a</a>', 'latin1');
  assert.deepEqual(cleanHtml(page, { url }).links, [
    { url: 'http://www.example.cz/h%C3%A1j?q=%9Elu%9D', nofollow: false },
  ]);
});

const sentence = 'Příliš žluťoučký kůň úpěl ďábelské ódy, šest žab a řeřicha.';
const iso = encodeText(sentence, 'iso-8859-2');
const windows = Uint8Array.from(
  iso,
  (byte) => ({ 185: 0x9a, 187: 0x9d, 190: 0x9e, 169: 0x8a, 171: 0x8d, 174: 0x8e })[byte] ?? byte,
);
const wide = Buffer.from(sentence, 'utf16le');
const charsets: [claim: string, bytes: Uint8Array, contentType: string | undefined, charset: string][] = [
  ['the header', iso, 'text/html; charset=iso-8859-2', 'iso-8859-2'],
  [
    'a meta element',
    Buffer.concat([
      Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=windows-1250">'),
      windows,
    ]),
    undefined,
    'windows-1250',
  ],
  ['its bytes', windows, undefined, 'windows-1250'],
  ['its bytes', iso, undefined, 'iso-8859-2'],
  ['its bytes, whatever the header says', windows, 'text/html; charset=utf-8', 'windows-1250'],
  ['its bytes, whatever the header says', windows, 'text/html; charset=ISO-8859-2', 'windows-1250'],
  ['its bytes, whatever the header says', iso, 'text/html; charset=windows-1250', 'iso-8859-2'],
  ['its bytes', Buffer.from(sentence), undefined, 'utf-8'],
  ['its bytes, whatever the header says', Buffer.from(sentence), 'text/html; charset=iso-8859-2', 'utf-8'],
  [
    'its bytes, whatever the header says',
    Buffer.from(`<p>${sentence}`, 'utf16le'),
    'text/html; charset=windows-1250',
    'utf-16le',
  ],
  [
    'a byte order mark',
    Buffer.concat([Buffer.from([0xff, 0xfe]), wide]),
    'text/html; charset=iso-8859-2',
    'utf-16le',
  ],
  ['its bytes', Buffer.from(`${'<p>'.repeat(50)}${sentence}`, 'utf16le'), undefined, 'utf-16le'],
  ['a byte order mark', Buffer.from(`\ufeff${sentence}`), undefined, 'utf-8'],
];

for (const [claim, bytes, contentType, charset] of charsets) {
  test(`${charset} is known by ${claim} (${contentType ?? 'no header'})`, () => {
    const page = cleanHtml(bytes, { url, contentType });
    assert.equal(page.charset, charset);
    assert.equal(page.text, sentence);
  });
}

test('Slovak ľ of windows-1250 is not taken for ž of ISO-8859-2', () => {
  const bytes = Buffer.from('Riadite\xbe Ve\xbekej Hory hovor\xed ve\xbemi pomaly.', 'latin1');
  assert.equal(cleanHtml(bytes, { url }).text, 'Riaditeľ Veľkej Hory hovorí veľmi pomaly.');
});

test('a page cut in the middle of a character is still UTF-8', () => {
  const page = cleanHtml(Buffer.from(sentence.repeat(3)).subarray(0, -1).subarray(0, 120), { url });
  assert.equal(page.charset, 'utf-8');
});

test('no markup comes through, whatever the page looks like', () => {
  const piece = fc.constantFrom(
    '<p>',
    '</p>',
    '<div',
    ' class="a"',
    '>',
    '<',
    '</',
    '"',
    "'",
    '=',
    '<!--',
    '-->',
    '<script>',
    '</script>',
    '<style',
    'marker',
    '<a href=x>',
    '<table><tr><td>',
    '<svg><title>',
    '</title>',
    '<title>',
    '<noscript>',
    '</noscript>',
    '<pre>',
    '<![CDATA[',
    ']]>',
    '&amp;',
    ' ',
    '<li>',
    '<textarea>',
    '<select>',
    '<plaintext',
    '<template>',
    '/>',
    '\0',
    '&#60',
    'ž',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const { text, mainText } = cleanHtml(Buffer.from(pieces.join('')), { url, main: true });
      // What looks like a tag in the text was written with an entity, or as a lone `<` that something else was cut out behind.
      const written =
        pieces.join('').includes('&#60') ||
        pieces.includes('<') ||
        pieces.includes('</') ||
        pieces.includes('<div');
      if (!written) assert.doesNotMatch(text, /<\/?[a-z!]/i);
      assert.doesNotMatch(text, /\0|href=x/);
      assert.equal(typeof mainText, 'string');
    }),
    { numRuns: 1000 },
  );
});

test('the main text is the article without what stands around it', () => {
  const paragraph = (number: number) =>
    `<p>Odstavec ${number}: V městě Brně se v úterý sešlo zastupitelstvo, které projednalo nový územní plán, a rozhodlo, že se bude hlasovat znovu.</p>`;
  const links = Array.from(
    { length: 20 },
    (_, number) => `<li><a href="/${number}">Rubrika ${number}</a></li>`,
  ).join('');
  const { mainText, author, date } = cleanHtml(
    Buffer.from(`<html><head><title>Zastupitelé jednali - Noviny</title><meta name=author content="Jana Nová">
      <meta property="article:published_time" content="2024-05-05T10:00:00+02:00"></head><body><nav class="menu"><ul>${links}</ul></nav>
      <div class="content"><article><h1>Zastupitelé jednali</h1><div class="article-body">${[1, 2, 3, 4, 5, 6].map(paragraph).join('')}</div></article>
      <div class="comments"><p>Pepa: Souhlasím.</p></div></div><div class="sidebar related"><ul>${links}</ul></div>
      <footer><p>© 2024 Noviny. Všechna práva vyhrazena.</p></footer></body></html>`),
    { url, main: true },
  );
  assert.equal(mainText?.match(/Odstavec/g)?.length, 6);
  assert.doesNotMatch(mainText ?? '', /Rubrika|Souhlasím|práva/);
  assert.equal(author, 'Jana Nová');
  assert.equal(date, '2024-05-05T10:00:00+02:00');
});

test('the main text has all lines of a text that is written in lines, as archives of mailing lists are', () => {
  const lines = Array.from(
    { length: 12 },
    (_, n) => `Řádek ${n} příspěvku do diskuse, který má být v korpusu celý.`,
  );
  const whole = `<h1>Příspěvek</h1><pre>${lines.join('\n')}</pre>`;
  for (const html of [whole, whole.replaceAll('pre>', 'p>').replaceAll('\n', '\u2028')]) {
    const { mainText = '' } = cleanHtml(Buffer.from(html), { url, main: true });
    assert.deepEqual(
      lines.filter((line) => !mainText.includes(line)),
      [],
    );
  }
});
