import { decoderBombs } from './decoder-bombs.ts';
import { fileBombs } from './file-bombs.ts';

/** A page of the hostile web, and how its server sends it. */
export interface HostilePage {
  name: string;
  type: string;
  body(): Buffer;
  status?: number;
  headers?: Record<string, string>;
  /** At once if absent. */
  pace?: Pace;
}

export const paces = ['never', 'in drips', 'endless', 'cut off', 'head only'] as const;
export type Pace = (typeof paces)[number];

const html = 'text/html; charset=utf-8';
const million = 1_000_000;

/** A part again and again, up to about this length. */
export function filled(part: string, length: number): string {
  return part.repeat(Math.ceil(length / part.length));
}

/** HTML that costs much more than its size if something in it is done again and again. */
const shapes: Readonly<Record<string, (length: number) => string>> = {
  'open CDATA': (length) => filled('<![CDATA[]>', length),
  'wrapped lines': (length) => `<pre>${filled('slovo\n', length)}`,
  'divided lines': (length) => `<pre>${filled('slo-\n', length)}`,
  'a long base': (length) =>
    `<base href="http://b.cz/${filled('a/', length / 4)}">${filled('<a href="?x">', length / 2)}`,
  'a base for many links': (length) =>
    `<base href="http://b.cz/${filled('a/', 1_900)}">${filled('<a href="../x?y">', length)}`,
  comments: (length) => filled('<!---->', length),
  'open comments': (length) => filled('<!--', length),
  'open scripts': (length) => filled('<script><!--<script>', length),
  'open titles': (length) => filled('<title>', length),
  'open noscripts': (length) => filled('<noscript>', length),
  'deep elements': (length) => filled('<div><ul><li>', length),
  'ends of other elements': (length) => `${filled('<i>', 1_200)}${filled('</b>', length)}`,
  'a deep drawing': (length) => `<svg><foreignobject>${filled('<i>', 1_194)}${filled('<br>', length)}`,
  'many blocks': (length) => `${filled('<i>', 1_200)}${filled('x<br>', length)}`,
  'a long class': (length) => `<div class="${filled('A', length / 2)}">${filled('<p>x</p>', length / 2)}`,
  'a long title': (length) =>
    `<title>${filled('a', length / 2)}</title>${filled('<p>aaaaaaaaaaaaaaaaaaaab</p>', length / 2)}`,
  stops: (length) => filled('. ', length),
  outlines: (length) => filled('I.I.I.I.I.I.I.I.I.I.I.I.I.1I. A ', length),
  references: (length) => filled('.[1]', length),
  'structured data': (length) =>
    `<script type="application/ld+json">${filled('"author":{ xxxx "name" : ', length)}</script>`,
  'rules for robots': (length) => `<meta name=x content="${filled('noindex, ', length)}!">`,
  attributes: (length) => `<p ${filled('a=1 ', length)}>`,
  ampersands: (length) => filled('&amp', length),
  'links with sessions': (length) =>
    filled(`<a href="/${filled('a/', 400)}?${filled('sess', 400)}">x</a>`, length),
  'links to many hosts': (length) =>
    Array.from({ length: length / 500 }, (_, n) => `<a href="http://h${n}.invalid/">x</a>`).join(''),
  'links to private addresses': () =>
    ['169.254.169.254', '[::ffff:169.254.169.254]', '0.0.0.0', '[64:ff9b::7f00:1]', '2852039166']
      .map((host) => `<a href="http://${host}/latest/meta-data/">x</a>`)
      .join(''),
};

/** The kinds of documents that the robot reads. */
const documentTypes: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  odt: 'application/vnd.oasis.opendocument.text',
  epub: 'application/epub+zip',
  rtf: 'application/rtf',
};

/** About 200 pages, always the same. Each is made when it is asked for. */
export function hostilePages(): HostilePage[] {
  const pages: HostilePage[] = [];
  const add = (name: string, type: string, body: () => string | Buffer, more: Partial<HostilePage> = {}) =>
    pages.push({ name, type, body: () => Buffer.from(body() as string), ...more });
  for (const [name, make] of Object.entries(shapes)) {
    for (const size of [0.1, 0.5, 2]) add(`${name}, ${size} MB`, html, () => make(size * million));
    add(`${name}, XHTML`, 'application/xhtml+xml', () => make(0.5 * million));
    add(`${name}, text`, 'text/plain', () => make(0.5 * million));
    const feed = () => `<rss><item><description><![CDATA[${make(0.2 * million)}`;
    add(`${name}, feed`, 'application/rss+xml', feed);
  }
  for (const { name, type, make } of fileBombs) add(name, type, make);
  for (const [name, make] of Object.entries(decoderBombs)) {
    const type = documentTypes[name.slice(name.lastIndexOf('.') + 1)];
    if (type !== undefined) add(name, type, () => Buffer.from(make()));
  }
  for (const location of [
    'http://169.254.169.254/',
    'file:///etc/passwd',
    '?',
    `http://${'a'.repeat(60_000)}/`,
  ])
    add(`a redirect to ${location.slice(0, 40)}`, html, () => '', { status: 302, headers: { location } });
  for (const pace of paces)
    for (const copy of [1, 2, 3]) add(`a body that comes ${pace}, ${copy}`, html, () => 'x', { pace });
  return pages;
}
