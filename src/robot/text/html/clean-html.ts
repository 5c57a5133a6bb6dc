import { scanHtml } from '../../../formats/markup/scan.ts';
import { mainText } from '../main-text/main-text.ts';
import { linksFrom, longestUrl, normalizeUrl } from '../url/normalize-url.ts';
import { decodePage } from './charset.ts';
import { encodeText } from './encode-text.ts';
import { authorOf, dateOf } from './metadata.ts';
import { PageReader } from './page-reader.ts';
import { PageTree } from './page-tree.ts';

export interface CleanOptions {
  /** The Content-Type header. */
  contentType?: string | undefined;
  /** Where the page was read, for relative links. */
  url: string;
  /** A charset that overrides header and page. */
  charset?: string | undefined;
  /** Also looks for the main text, author and date. */
  main?: boolean | undefined;
}

export interface CleanPage {
  /** One line per block, a blank line between paragraphs. */
  text: string;
  title: string;
  links: { url: string; nofollow: boolean }[];
  canonical?: string;
  /** As in an X-Robots-Tag header: `noindex, nofollow`, or for one robot `googlebot: noindex`. */
  metaRobots: string[];
  charset: string;
  mainText?: string;
  author?: string;
  date?: string;
  language?: string;
}

/** Links beyond this number are ignored: nobody wrote them by hand. */
const mostLinks = 20_000;
/** The same, with those that are written twice or lead nowhere. */
const mostWritten = 2 * mostLinks;

/** Text and links of an HTML page, in one pass. */
export function cleanHtml(bytes: Uint8Array, options: CleanOptions): CleanPage {
  const { text: html, charset } = decodePage(bytes, options);
  const tree = options.main === true ? new PageTree() : undefined;
  const reader = new PageReader(html, tree);
  scanHtml(html, reader, { xhtml: /xhtml/i.test(options.contentType ?? '') });
  const { head, content } = reader;
  const base = baseOf(head.base, options.url);
  const canonical = head.canonical === undefined ? undefined : normalizeUrl(head.canonical, base);
  const page: CleanPage = {
    text: content.toString(),
    title: head.title || (head.meta.get('og:title') ?? ''),
    links: linksOf(head, base, charset),
    metaRobots: head.robots,
    charset,
  };
  if (canonical !== undefined) page.canonical = canonical;
  if (head.language !== undefined) page.language = head.language;
  if (tree !== undefined) {
    page.mainText = mainText(tree.blocks, tree.textsIn(page.text), page.title);
    const author = authorOf(head);
    if (author !== undefined) page.author = author;
    const date = dateOf(head);
    if (date !== undefined) page.date = date;
  }
  return page;
}

/** The base of relative links, which is read again for each of them. Invalid and overlong base URLs are ignored. */
function baseOf(written: string | undefined, url: string): string {
  const base = written === undefined || written.length > longestUrl ? null : URL.parse(written, url);
  return base !== null && /^https?:$/.test(base.protocol) ? base.href : url;
}

function linksOf(head: PageReader['head'], base: string, charset: string): CleanPage['links'] {
  const noneFollowed = head.robots.some((rule) => /^[^:]*\b(?:nofollow|none)\b/.test(rule));
  const links = new Map<string, { url: string; nofollow: boolean }>();
  const normalize = linksFrom(base);
  for (const { href, nofollow } of head.links.slice(0, mostWritten)) {
    if (links.size >= mostLinks) break;
    const url = normalize(charset === 'utf-8' ? href : withQueryIn(charset, href));
    if (url === undefined) continue;
    const known = links.get(url);
    if (known === undefined) links.set(url, { url, nofollow: nofollow || noneFollowed });
    else if (!nofollow && !noneFollowed) known.nofollow = false;
  }
  return [...links.values()];
}

/** Browsers send letters of a query in the charset of the page: ?q=ž of windows-1250 is ?q=%9E. */
function withQueryIn(charset: string, href: string): string {
  const question = href.indexOf('?');
  if (question < 0 || (charset !== 'windows-1250' && charset !== 'iso-8859-2')) return href;
  const end = href.indexOf('#', question);
  const query = href.slice(question, end < 0 ? undefined : end);
  return `${href.slice(0, question)}${query.replaceAll(/[^\0-\x7f]+/g, (letters) => percentEncoded(letters, charset))}`;
}

function percentEncoded(letters: string, charset: 'windows-1250' | 'iso-8859-2'): string {
  return Buffer.from(encodeText(letters, charset)).toString('hex').replaceAll(/../g, '%$&');
}
