import {
  drain,
  type ForeignText,
  inPieces,
  latin1,
  markupTokens,
} from '../../engine/testing/foreign-reader.ts';
import { checkExpressions, stepsIn } from '../crawl/expression.ts';
import { parseFields, parseHead } from '../fetch/answer-head.ts';
import type { Answer } from '../fetch/fetch-page.ts';
import { readPage } from '../harvest/read-page.ts';
import { readRobots } from '../harvest/read-robots.ts';
import { readTdm } from '../harvest/tdm-reservation.ts';
import { plainAddress } from '../politeness/addresses.ts';
import { readRetryAfter } from '../politeness/slow-down.ts';
import { sortKey } from '../text/corpus/index-line.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { convertDocument, kindOf } from '../text/formats/convert.ts';
import { readFeed } from '../text/formats/feed.ts';
import { readMbox } from '../text/formats/mbox.ts';
import { decodeHeader, readMessage } from '../text/formats/mime.ts';
import { readSitemap } from '../text/formats/sitemap.ts';
import { charsetOf, decodePage, guessCharset } from '../text/html/charset.ts';
import { cleanHtml } from '../text/html/clean-html.ts';
import { detectLanguage } from '../text/language/language.ts';
import { phrasesIn } from '../text/main-text/phrases.ts';
import { parseRobots, robotsText } from '../text/robots-rules.ts';
import { segment } from '../text/segment/segment.ts';
import { splitSentences } from '../text/segment/sentences.ts';
import { measure, tokensOf } from '../text/segment/words.ts';
import { linksFrom, normalizeUrl } from '../text/url/normalize-url.ts';
import { splitUrl } from '../text/url/split-url.ts';
import { trapIn } from '../text/url/traps.ts';

const url = 'https://example.org/a';
const urlTokens = ['/', '.', '..', '/../', '%', '%41', '?', '&', '=', '#', ';', '@', 'a/', '/5'];
const sentenceTokens = [
  '. ',
  '.',
  '? ',
  'A.',
  'A. ',
  'slovo ',
  '1. ',
  '(',
  ')',
  '"',
  '[1]',
  'č. ',
  'IV. ',
  '\n',
  '\n\n',
];
const htmlTokens = [
  ...markupTokens,
  '<p>',
  '<div>',
  '</div>',
  '<a href="b">',
  '<table>',
  '<td>',
  '<base href="c">',
  '<meta charset="d">',
  '<script>',
  '<time>',
];
const mailTokens = ['\n', '\r\n', ':', 'From ', '\nFrom ', '>', '--a', '=', '=?utf-8?q?', '?=', ' '];
const robotsTokens = ['\n', ':', 'User-agent: a\n', 'Disallow: /', '*', '$', '%', '#', '/', 'Allow: '];
const headLimit = [65_536, 'the fetcher’s limit on a head'] as const;
const pageLimit = [10_000_000, 'longer HTML is not read'] as const;

const answer = (body: Buffer, contentType = 'text/html'): Answer => ({
  status: 200,
  statusText: 'OK',
  rawHeaders: [],
  headers: { 'content-type': contentType },
  raw: body,
  body,
  isCut: false,
});

export const foreignText: ForeignText = {
  readers: {
    'crawl/expression.ts checkExpressions': {
      read: (text) => checkExpressions({ include: text, exclude: text }),
      samples: ['a…b', '(a…)'],
      tokens: ['(', ')', '*', '+', '?', '[', ']', '{1000}', '|', '\\', '.'],
      limit: [10_000, 'the limit on an expression of a crawl'],
    },
    'crawl/expression.ts stepsIn': {
      read: stepsIn,
      samples: ['(a…)'],
      tokens: ['(', ')', '*', '[', ']', '{9}', '|', '\\'],
      limit: [10_000, 'the limit on an expression of a crawl'],
    },
    'fetch/answer-head.ts parseHead': {
      read: parseHead,
      samples: ['HTTP/1.1 200 OK…\r\nA: b\r\n', 'HTTP/1.1 200 OK\r\nA: …b\r\n'],
      tokens: ['\r\n', ':', ' ', 'A: b\r\n', 'A', '\t'],
      limit: headLimit,
    },
    'fetch/answer-head.ts parseFields': {
      read: (text) => parseFields(text, 0),
      samples: ['A: …b\r\n'],
      tokens: ['\r\n', ':', ' ', 'A: b\r\n', 'A', '\t'],
      limit: headLimit,
    },
    'harvest/read-page.ts readPage': {
      read: (text) =>
        readPage(answer(Buffer.from(text)), {
          url,
          converted: undefined,
          options: { main: true, text: true, language: [] },
          spend() {},
        }),
      samples: ['<p>…</p>', '<base href="…"><a href="b">', '<head><title>…'],
      tokens: [...htmlTokens, 'slovo\n', 'Slovo. '],
      limit: pageLimit,
    },
    'harvest/read-robots.ts readRobots': {
      read: (text) => readRobots(answer(Buffer.from(text), 'text/plain'), 'pismak'),
      samples: ['User-agent: *\nDisallow: /…\n'],
      tokens: robotsTokens,
      limit: [512_001, 'the rest of robots.txt is not read'],
    },
    'harvest/tdm-reservation.ts readTdm': {
      read: (text) => readTdm(answer(Buffer.from(text), 'application/json')),
      samples: ['[{"location":"/…","tdm-reservation":1}]', '[…]'],
      tokens: ['{"location":"/","tdm-reservation":1},', '[', '{', '"', '#', ',', '*'],
      limit: [512_000, 'the rest of tdmrep.json is not read'],
    },
    'politeness/addresses.ts plainAddress': {
      read: plainAddress,
      samples: ['1.2.3.4', '2001:db8::…'],
      tokens: [':', '::', '1.', '0', 'f', '%'],
      limit: [1024, 'the resolver’s limit on addresses'],
    },
    'politeness/slow-down.ts readRetryAfter': {
      read: (text) => readRetryAfter(text, 0),
      samples: ['1…', 'Thu, 01 Jan 1970 …'],
      tokens: ['1', '-', '+', '(', ')', ':', ' ', 'Jan '],
      limit: headLimit,
    },
    'text/corpus/index-line.ts sortKey': {
      read: sortKey,
      samples: ['https://a.…example.org/'],
      tokens: urlTokens,
      limit: [2000, 'the limit on addresses'],
    },
    'text/fingerprint.ts fingerprint': {
      read: fingerprint,
      samples: ['Slovo …'],
      tokens: ['slovo ', '1', '. ', '\n'],
    },
    'text/formats/convert.ts kindOf': {
      read: (text) => kindOf(latin1(text), { url }),
      samples: ['<!--…--><rss>', '<?xml …?><rss>', 'From a…\nA: b'],
      tokens: [...markupTokens, '<?', '?>', '<!', 'From ', '%PDF-', 'PK\x03\x04'],
    },
    'text/formats/convert.ts convertDocument': {
      read: (text) => convertDocument(latin1(text), { url, contentType: 'text/plain' }),
      samples: ['a …', 'https://example.org/…'],
      tokens: ['\r\n', '\r', '\0', '\n', 'http://a', 'http://', '.', ' \n'],
    },
    'text/formats/feed.ts readFeed': {
      read: (text) => readFeed(Buffer.from(text), { url }),
      samples: [
        '<rss><item><title>…</title></item></rss>',
        '<rss><item><description>…</description></item></rss>',
        '<rss>…</rss>',
      ],
      tokens: [
        ...markupTokens,
        '<item>',
        '</item>',
        '<link>a</link>',
        '<title>',
        '&lt;p>',
        '<item><title>a</title></item>',
      ],
    },
    'text/formats/mbox.ts readMbox': {
      read: (text) => drain(readMbox(inPieces(text))),
      samples: ['From a\nSubject: b\n\n…'],
      tokens: [...mailTokens, '\n>From ', '\nFrom a\nB: c\n\n'],
    },
    'text/formats/mime.ts readMessage': {
      read: (text) => readMessage(Buffer.from(text)),
      samples: [
        'Subject: …\n\nb',
        'Content-Type: multipart/mixed; boundary=a\n\n--a\n\n…\n--a--',
        'Content-Type: text/html\n\n…',
        'Content-Transfer-Encoding: quoted-printable\n\n…',
        'Content-Transfer-Encoding: base64\n\n…',
        'Content-Type: …',
        'Date: …\n\nb',
      ],
      tokens: mailTokens,
    },
    'text/formats/mime.ts decodeHeader': {
      read: decodeHeader,
      samples: ['=?utf-8?q?a…?=', '=?utf-8?b?YQ==?= …'],
      tokens: ['=?', '?=', '?q?', '?b?', '=?utf-8?q?a?=', '=?utf-8?q?', '=C5', '_', ' '],
    },
    'text/formats/sitemap.ts readSitemap': {
      read: (text) => drain(readSitemap(inPieces(text))),
      samples: [
        '<urlset><url><loc>https://example.org/…</loc></url></urlset>',
        '<urlset>…</urlset>',
        'https://example.org/…\n',
      ],
      tokens: [
        ...markupTokens,
        '<url>',
        '</url>',
        '</url ',
        '<loc>',
        '</loc>',
        '</a:',
        'https://a\n',
        '<url><loc>http://a</loc></url>',
      ],
    },
    'text/html/charset.ts charsetOf': {
      read: charsetOf,
      samples: ['text/html; charset=…utf-8'],
      tokens: ['charset', 'charset=', '=', '"', ';', ' '],
      limit: headLimit,
    },
    'text/html/charset.ts decodePage': {
      read: (text) => decodePage(latin1(text)),
      samples: ['<meta charset="…utf-8">', '<?xml encoding="…"?>'],
      tokens: ['<meta ', 'charset=', 'charset', '<!--', '-->', '\0', '\xe9', '\xc5\x99', '\x9a', '\xb9'],
      limit: pageLimit,
    },
    'text/html/charset.ts guessCharset': {
      read: (text) => guessCharset(latin1(text)),
      samples: ['a…'],
      tokens: ['\0', '\xe9', '\xc5\x99', '\x9a', '\xb9', 'a\xb9', '\xff\xfe'],
      limit: pageLimit,
    },
    'text/html/clean-html.ts cleanHtml': {
      read: (text) => cleanHtml(Buffer.from(text), { url, main: true }),
      samples: [
        '<p>…</p>',
        '<a href="…">a</a>',
        '<base href="…"><a href="b">',
        '<script type="application/ld+json">…</script>',
        '<meta name="robots" content="…">',
        '<meta property="article:published_time" content="…">',
        '<table><tr><td>…</table>',
      ],
      tokens: htmlTokens,
      limit: pageLimit,
    },
    'text/language/language.ts detectLanguage': {
      read: detectLanguage,
      samples: ['Slovo …'],
      tokens: ['slovo ', 'ř', '\n', '. ', 'Ж', '中'],
    },
    'text/main-text/phrases.ts phrasesIn': {
      read: (text) => phrasesIn(text, true),
      samples: ['Autor: …'],
      tokens: ['1', '1. ', '.', ':', '2024', '/', 'autor ', 'Foto: ', ' ', '©'],
    },
    'text/robots-rules.ts parseRobots': {
      read: (text) => parseRobots(latin1(text)).isAllowed('pismak', `/${'a'.repeat(2000)}`),
      samples: ['User-agent: *\nDisallow: /…\n', 'User-agent: *\nAllow: /a*…$\n'],
      tokens: robotsTokens,
      limit: [512_000, 'the rest of robots.txt is not read'],
    },
    'text/robots-rules.ts robotsText': {
      read: (text) => robotsText(latin1(text)),
      samples: ['User-agent: *\n…'],
      tokens: robotsTokens,
      limit: [512_001, 'the rest of robots.txt is not read'],
    },
    'text/segment/segment.ts segment': {
      read: (text) => segment(text, { languages: ['cs'] }),
      samples: ['Slovo je …'],
      tokens: sentenceTokens,
    },
    'text/segment/sentences.ts splitSentences': {
      read: splitSentences,
      samples: ['Slovo. …'],
      tokens: sentenceTokens,
    },
    'text/segment/words.ts tokensOf': {
      read: tokensOf,
      samples: ['slovo …'],
      tokens: ['a', '-', '.', 'a-', '1,', ' ', '😀', 'a😀', '\u0301'],
    },
    'text/segment/words.ts measure': {
      read: measure,
      samples: ['slovo …'],
      tokens: ['a', '-', ' ', '1', '😀'],
    },
    'text/url/normalize-url.ts normalizeUrl': {
      read: (text) => normalizeUrl(text, url),
      samples: ['https://example.org/…', 'https://…example.org/', '?…', '/;jsessionid=…'],
      tokens: urlTokens,
    },
    'text/url/normalize-url.ts linksFrom': {
      read: (text) => linksFrom(text)('b'),
      samples: ['https://example.org/…'],
      tokens: urlTokens,
    },
    'text/url/split-url.ts splitUrl': {
      read: splitUrl,
      samples: ['https://example.org/…', 'https://example.org:80…'],
      tokens: [...urlTokens, ':', '1'],
      limit: [2000, 'the limit on addresses'],
    },
    'text/url/traps.ts trapIn': {
      read: trapIn,
      samples: ['https://example.org/…', 'https://example.org/?…'],
      tokens: [...urlTokens, '2024', 'sid=', '/a/b'],
    },
  },
  excused: {
    'commands/crawl-options.ts readCrawlOptions': 'options of a command',
    'commands/crawl-options.ts readHarvesters': 'an option of a command',
    'commands/crawl-options.ts readResolve': 'a file of the person who runs the command',
    'commands/crawl-options.ts readSeeds': 'a file of the person who runs the command',
    'commands/read-input.ts readInput': 'a file of the person who runs the command',
    'crawl/options.ts readDefinition': 'rows that robot.new has checked',
    'export/export-files.ts readState': 'a file of ours',
    'politeness/read-log.ts readLog': 'a log of ours, read by a command',
    'segments/segment-index.ts readSegmentIndex': 'an index that we wrote',
    'segments/segment-list.ts segmentOwner': 'makes a name',
    'text/corpus/segments.ts linesOf': 'an index that we wrote',
    'text/segment/words.ts tokenEnd': 'tokensOf reads with it',
  },
};
