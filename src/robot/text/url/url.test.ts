import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { linksFrom, normalizeUrl } from './normalize-url.ts';
import { trapIn } from './traps.ts';

const normal: [url: string, expected: string | undefined][] = [
  ['HTTP://Www.Example.CZ:80/a/../b#c', 'http://www.example.cz/b'],
  ['//cdn.example.cz/x', 'https://cdn.example.cz/x'],
  ['../up', 'https://base.cz/up'],
  ['?page=2', 'https://base.cz/dir/page.html?page=2'],
  ['http://user:secret@a.cz/', 'http://a.cz/'],
  ['http://a.cz./x', 'http://a.cz/x'],
  ['http://háčky.cz/žluť', 'http://xn--hky-ela4t.cz/%C5%BElu%C5%A5'],
  ['http://a.cz/%7ejan/%c5%be%2f', 'http://a.cz/~jan/%C5%BE%2F'],
  ['http://a.cz/a;jsessionid=0A1B2C?x=1&utm_source=b&PHPSESSID=0123456789abcdef', 'http://a.cz/a?x=1'],
  ['http://a.cz/?fbclid=1', 'http://a.cz/'],
  ['http://a.cz/?sid=12', 'http://a.cz/?sid=12'],
  ['mailto:jan@a.cz', undefined],
  ['javascript:void(0)', undefined],
  ['http://', undefined],
  [`http://a.cz/${'x'.repeat(3000)}`, undefined],
];

for (const [url, expected] of normal) {
  test(`${url.slice(0, 60)} is queued as ${expected}`, () => {
    assert.equal(normalizeUrl(url, 'https://base.cz/dir/page.html'), expected);
  });
}

test('a normal address stays as it is', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
      const once = normalizeUrl(url);
      if (once !== undefined) assert.equal(normalizeUrl(once), once);
    }),
  );
});

test('a link of a page is the same, whether it is plain or needs the parser', () => {
  const base = fc.constantFrom(
    'http://a.cz',
    'https://a.cz:8443/b/c.html?d=/e/',
    'http://a.cz/%7eb/%c5%be/;jsessionid=1/x',
    'http://a.cz/b/../c/./d',
    'http://[::1]:80/a',
    'mailto:a@b.cz',
    'no address',
    'http://u:p@a.cz/(S(abcdefghijklmnopqrstuv))/x',
    'file:///a/b',
  );
  const piece = fc.constantFrom(
    '/',
    '.',
    '..',
    'a',
    'B-9',
    '~',
    '_',
    'c.html',
    '%41',
    '?',
    '#',
    ':',
    ' ',
    'ž',
    '\\',
    '@',
    '\n',
    ';',
  );
  const href = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(base, href, (page, link) => assert.equal(linksFrom(page)(link), normalizeUrl(link, page))),
    { numRuns: 3000 },
  );
});

const traps: [url: string, reason: RegExp][] = [
  ['http://a.cz/x/y/x/y/x/y', /repeat/],
  ['http://a.cz/a/a/a/b', /repeat/],
  ['http://a.cz/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17', /deeper/],
  ['http://a.cz/calendar/2099/12', /year 2099/],
  ['http://a.cz/kalendar?year=1785&month=3', /year 1785/],
  ['http://a.cz/akce?mesic=13', /December/],
  ['http://a.cz/?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9&j=10&k=11', /parameters/],
  ['http://a.cz/?q=1&q=2&q=3', /repeats/],
  ['http://a.cz/x?sessionid=0123456789abcdef01', /session/],
];

for (const [url, reason] of traps) {
  test(`${url} is a trap`, () => assert.match(trapIn(url) ?? '', reason));
}

for (const url of [
  'http://a.cz/',
  'http://a.cz/2024/05/05/clanek',
  'http://a.cz/kalendar/2024/12',
  'http://a.cz/zbozi?kat[]=1&kat[]=2&kat[]=3',
  'http://a.cz/wiki/Karel_IV',
  'http://a.cz/historie/1620-bila-hora',
  'http://a.cz/a/b/c/a',
  'http://a.cz/praha/praha/',
]) {
  test(`${url} is no trap`, () => assert.equal(trapIn(url), undefined));
}
