import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRobots } from './robots-rules.ts';

const robots = (...lines: string[]) => parseRobots(Buffer.from(lines.join('\n')));

const claims: [claim: string, lines: string[], allowed: string[], disallowed: string[]][] = [
  [
    'a robot keeps to its own group, not to the one for all',
    ['User-agent: *', 'Disallow: /', 'User-agent: Pismak', 'Disallow: /x'],
    ['/'],
    ['/x'],
  ],
  [
    'groups of the same robot count together',
    [
      'User-agent: pismak',
      'Disallow: /a',
      'User-agent: other',
      'Disallow: /b',
      'User-agent: PISMAK',
      'Disallow: /c',
    ],
    ['/b'],
    ['/a', '/c'],
  ],
  [
    'several names share a group',
    ['User-agent: one', 'User-agent: pismak', '', 'Disallow: /a'],
    ['/b'],
    ['/a'],
  ],
  [
    'the longest rule wins, and Allow wins a tie',
    ['User-agent: *', 'Disallow: /a', 'Allow: /a/b', 'Disallow: /a/b/c', 'Allow: /d', 'Disallow: /d'],
    ['/a/b', '/d'],
    ['/a', '/a/b/c'],
  ],
  [
    '* and $ are wildcards',
    ['User-agent: *', 'Disallow: /*.pdf$', 'Disallow: /*?*sort='],
    ['/a.pdf?x', '/sort='],
    ['/a/b.pdf', '/a?b&sort=1'],
  ],
  ['an empty Disallow forbids nothing', ['User-agent: *', 'Disallow:'], ['/', '/a'], []],
  [
    'comments, blank space and other line ends do not matter',
    ['User-agent : pismak # us\r\n\tDisallow\t:\t/a#b\rDisallow: /c'],
    ['/b'],
    ['/a', '/c'],
  ],
  [
    'what people misspell is understood',
    ['Useragent: pismak', 'Disalow: /a', 'Dissallow: /b', 'disallow /c'],
    ['/d'],
    ['/a', '/b', '/c'],
  ],
  ['rules without a robot are ignored', ['Disallow: /', 'User-agent: *', 'Disallow: /a'], ['/'], ['/a']],
  [
    'encoded and plain spellings of an address are the same for Disallow',
    ['User-agent: *', 'Disallow: /%7Ejan', 'Disallow: /žlutý', 'Disallow: /a%2fb'],
    ['/a/b'],
    ['/~jan', '/%7ejan', '/%C5%BElut%C3%BD', '/a%2Fb'],
  ],
  [
    '%2A and %24 in a rule mean the characters, and so does a $ that is not at its end',
    ['User-agent: *', 'Disallow: /a-%2A.html', 'Disallow: /b-%24', 'Disallow: /c$d'],
    ['/a-b.html', '/b-', '/c'],
    ['/a-*.html', '/a-%2a.html', '/b-$', '/b-%24x', '/c$d', '/c%24d'],
  ],
  [
    'an address need not be encoded to be forbidden',
    ['User-agent: *', 'Disallow: /%CF%80', 'Disallow: /a%3cb', 'Disallow: /ž<'],
    ['/a', '/ž'],
    ['/π', '/%cf%80/x', '/a<b', '/a%3Cb', '/%C5%BE%3c'],
  ],
  [
    'encoded and plain spellings of an address are the same for Allow',
    ['User-agent: *', 'Disallow: /', 'Allow: /~jan', 'Allow: /a<b', 'Allow: /c%3cd'],
    ['/~jan', '/%7Ejan', '/%7ejan', '/a<b', '/a%3Cb', '/a%3cb', '/c<d', '/c%3Cd'],
    ['/jan', '/%2Fjan'],
  ],
  [
    'Allow of a start page allows its directory',
    ['User-agent: *', 'Disallow: /', 'Allow: /a/index.html'],
    ['/a/', '/a/index.html'],
    ['/a/b'],
  ],
  [
    'a crawl delay or a sitemap does not end a group',
    ['User-agent: one', 'Crawl-delay: 3', 'Sitemap: http://a.cz/s.xml', 'User-agent: pismak', 'Disallow: /a'],
    ['/b'],
    ['/a'],
  ],
];

for (const [claim, lines, allowed, disallowed] of claims) {
  test(claim, () => {
    const rules = robots(...lines);
    for (const path of allowed)
      assert.ok(rules.isAllowed('pismak/1.0 (+https://example.org)', path), `${path} is allowed`);
    for (const path of disallowed) assert.ok(!rules.isAllowed('pismak/1.0', path), `${path} is disallowed`);
  });
}

test('a byte order mark and what lies beyond 500 KiB do not matter', () => {
  const marked = parseRobots(Buffer.from('\ufeffUser-agent: *\nDisallow: /a'));
  assert.ok(!marked.isAllowed('pismak', '/a'));
  const long = robots('User-agent: *', `# ${'x'.repeat(500 * 1024)}`, 'Disallow: /a');
  assert.ok(long.isAllowed('pismak', '/a'));
});

test('a file in UTF-16 is read, and zero characters do not matter', () => {
  const text = '\ufeffUser-agent: *\r\nDisallow: /ž\r\n';
  const wide = Buffer.from(text, 'utf16le');
  const files = [wide, Buffer.from(wide).swap16(), Buffer.from('User-agent: *\0\nDisallow: /\0ž\n')];
  for (const file of files) {
    const rules = parseRobots(file);
    assert.ok(!rules.isAllowed('pismak', '/ž'));
    assert.ok(rules.isAllowed('pismak', '/a'));
  }
});

test('a line that the limit of 500 KiB cuts does not count', () => {
  const head = 'User-agent: *\nDisallow: /a\n';
  const last = '\nDisallow: /';
  const comment = `#${'x'.repeat(500 * 1024 - head.length - last.length - 1)}`;
  const rules = parseRobots(Buffer.from(`${head}${comment}${last}long/path`));
  assert.ok(rules.isAllowed('pismak', '/b'));
  assert.ok(!rules.isAllowed('pismak', '/a'));
  const whole = parseRobots(Buffer.from(`${head}${comment}${last}`));
  assert.ok(!whole.isAllowed('pismak', '/b'), 'the last line of a file need not be ended');
});

test('crawl delay is the robot’s own, sitemaps are everybody’s', () => {
  const rules = robots(
    'User-agent: *',
    'Crawl-delay: 10',
    'User-agent: pismak',
    'Crawl-delay: 2.5',
    'Sitemap: http://a.cz/žluťák.xml',
  );
  assert.equal(rules.crawlDelay('pismak'), 2.5);
  assert.equal(rules.crawlDelay('other'), 10);
  assert.deepEqual(rules.sitemaps, ['http://a.cz/žluťák.xml']);
});

test('a robot whose name has digits is named by the whole word', () => {
  const rules = robots('User-agent: *', 'Disallow: /all', 'User-agent: MJ12bot/1.4', 'Disallow: /own');
  assert.equal(rules.isAllowed('MJ12bot', '/own'), false);
  assert.equal(rules.isAllowed('MJ12bot', '/all'), true);
  assert.equal(rules.isAllowed('pismak', '/own'), true);
});

test('a whole URL is understood like its path', () => {
  const rules = robots('User-agent: *', 'Disallow: /a?b', 'Disallow: //c');
  assert.ok(!rules.isAllowed('x', 'https://www.example.cz/a?b#c'));
  assert.ok(rules.isAllowed('x', 'https://www.example.cz'));
  assert.ok(!rules.isAllowed('x', '//c/d'), 'a path may begin with two slashes');
});

test('the matcher agrees with a regular expression on any pattern', () => {
  const text = fc.string({ unit: fc.constantFrom('/', 'a', 'b', '*', '$', '.'), maxLength: 10 });
  const path = fc.string({ unit: fc.constantFrom('/', 'a', 'b', '.', '$'), maxLength: 12 });
  fc.assert(
    fc.property(text, path, (tail, rest) => {
      const pattern = `/${tail}`;
      const anchored = pattern.endsWith('$');
      const source = (anchored ? pattern.slice(0, -1) : pattern)
        .split('*')
        .map((part) => part.replaceAll(/[$./]/g, '\\$&'))
        .join('.*');
      const matches = new RegExp(`^${source}${anchored ? '$' : ''}`).test(`/${rest}`);
      assert.equal(robots('User-agent: *', `Disallow: ${pattern}`).isAllowed('x', `/${rest}`), !matches);
    }),
    { numRuns: 2000 },
  );
});

test('any bytes are a robots.txt', () => {
  const line = fc.constantFrom(
    'User-agent: *',
    'Disallow: /',
    'Allow: /a*b*c*$',
    'crawl-delay: x',
    'sitemap:',
    ':',
    '\xff\xfe',
    '%',
    '%4',
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(line, fc.string()), { maxLength: 20 }),
      fc.uint8Array(),
      fc.string(),
      (lines, bytes, path) => {
        const rules = parseRobots(Buffer.concat([Buffer.from(lines.join('\n')), bytes]));
        assert.equal(typeof rules.isAllowed('pismak', path), 'boolean');
      },
    ),
  );
});
