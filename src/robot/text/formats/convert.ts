import {
  type Converted,
  type DocumentKind,
  linksIn,
  longestText,
} from '../../../formats/converted/converted.ts';
import { isCompoundFile } from '../../../formats/office/compound-file.ts';
import { decodePage } from '../html/charset.ts';
import { cleanHtml } from '../html/clean-html.ts';
import { normalizeUrl } from '../url/normalize-url.ts';

export interface ConvertOptions {
  url: string;
  contentType?: string | undefined;
}

/** What a file is, by its content; its type and name decide only where content does not. Undefined if it is nothing with text. */
export function kindOf(
  bytes: Uint8Array,
  { url, contentType = '' }: ConvertOptions,
): DocumentKind | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 2048)).toString('latin1');
  const name = `${contentType.toLowerCase()} ${URL.parse(url)?.pathname.toLowerCase() ?? ''}`;
  if (/%PDF-\d/.test(head.slice(0, 1032))) return 'pdf';
  if (head.startsWith('{\\rtf')) return 'rtf';
  if (isCompoundFile(bytes)) return 'doc';
  if (head.startsWith('PK\x03\x04')) return kindOfArchive(bytes, head);
  if (/^From \S.*\n(?:[\w-]+:|>)/.test(head)) return 'mbox';
  const root = rootOf(head);
  if (root === 'rss' || root === 'feed' || root === 'rdf') return 'feed';
  if (root === 'urlset' || root === 'sitemapindex') return 'sitemap';
  if (/<(?:!doctype html|html|head|body|title|div|p|table|a)\b/i.test(head) && !/text\/plain/.test(name))
    return 'html';
  if (/html/.test(contentType)) return 'html';
  return /text\/plain|\.(?:txt|text|md|asc)$/.test(name) && !isBinary(bytes) ? 'txt' : undefined;
}

/** The name of the first element, without its prefix, in lower case. Comments, declarations and the document type may stand before it. */
function rootOf(head: string): string | undefined {
  for (let at = head.startsWith('\xef\xbb\xbf') ? 3 : 0; at < head.length; ) {
    if (/\s/.test(head.charAt(at))) at += 1;
    else if (head.startsWith('<!--', at)) at = behind(head, '-->', at + 4);
    else if (head.startsWith('<?', at) || head.startsWith('<!', at)) at = behind(head, '>', at);
    else return /^<(?:\w+:)?(\w+)/.exec(head.slice(at))?.[1]?.toLowerCase();
  }
  return undefined;
}

function behind(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

/** The names of its parts stand in the archive as they are, near its beginning or at its end. */
function kindOfArchive(bytes: Uint8Array, head: string): DocumentKind | undefined {
  if (head.includes('mimetypeapplication/vnd.oasis.opendocument.text')) return 'odt';
  const tail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .subarray(-100_000)
    .toString('latin1');
  if (tail.includes('word/document.xml')) return 'docx';
  if (tail.includes('ppt/presentation.xml')) return 'pptx';
  return tail.includes('content.xml') && tail.includes('META-INF/manifest.xml') ? 'odt' : undefined;
}

function isBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 1000);
  return head.includes(0) && head[0] !== 0xff && head[0] !== 0xfe;
}

/**
 * Text and links of a file. Feeds, mbox archives and sitemaps are many documents: `readFeed`, `readMbox` and `readSitemap` read
 * them. A file that can't be read is `invalid-input`. Foreign files may be hostile: give this a process with limits.
 */
export async function convertDocument(
  bytes: Uint8Array,
  options: ConvertOptions,
): Promise<Converted | undefined> {
  const kind = kindOf(bytes, options);
  const converted = kind === undefined ? undefined : await readers[kind]?.(bytes, options);
  if (converted === undefined) return undefined;
  const links = new Set(converted.links.flatMap((link) => normalizeUrl(link, options.url) ?? []));
  const text = converted.text.slice(0, longestText).toWellFormed().replaceAll(controls, '').trim();
  return { ...converted, text, links: [...links] };
}

/** What is no tab and no new line: ligatures of fonts that a PDF doesn't name, numbers of lists. */
const controls = /(?![\t\n])\p{Cc}/gu;

type Read = (bytes: Uint8Array, options: ConvertOptions) => Promise<Converted> | Converted;

/** Each loads its library only when a file asks for it. */
const readers: Partial<Record<DocumentKind, Read>> = {
  pdf: async (bytes) => (await import('../../../formats/pdf/pdf-text.ts')).readPdf(bytes),
  doc: async (bytes) => (await import('../../../formats/office/doc.ts')).readDoc(bytes),
  docx: async (bytes) => (await import('../../../formats/office/office.ts')).readDocx(bytes),
  odt: async (bytes) => (await import('../../../formats/office/office.ts')).readOdt(bytes),
  pptx: async (bytes) => (await import('../../../formats/office/office.ts')).readPptx(bytes),
  rtf: async (bytes) => (await import('../../../formats/office/rtf.ts')).readRtf(bytes),
  txt(bytes, { contentType }) {
    const { text } = decodePage(bytes, { contentType });
    const plain = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').replaceAll('\0', '').trim();
    return { kind: 'txt', text: plain, links: linksIn(plain) };
  },
  html(bytes, { url, contentType }) {
    const { text, title, links, author, date, metaRobots } = cleanHtml(bytes, { url, contentType });
    const followed = links.filter((link) => !link.nofollow).map((link) => link.url);
    return { kind: 'html', text, title, author, date, links: followed, metaRobots };
  },
};
