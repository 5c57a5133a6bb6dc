import { readXml } from '../../../formats/markup/read-xml.ts';
import { decodePage } from '../html/charset.ts';
import { cleanHtml } from '../html/clean-html.ts';
import { normalizeUrl } from '../url/normalize-url.ts';

export interface FeedItem {
  url?: string;
  title: string;
  author?: string;
  date?: string;
  /** Summary or whole content, as text. */
  text: string;
}

export interface Feed {
  title: string;
  items: FeedItem[];
  /** Addresses in the items' content, and of the next page of the feed. */
  links: string[];
}

const mostItems = 5000;
const fields = {
  title: 'title',
  link: 'link',
  guid: 'guid',
  author: 'author',
  'dc:creator': 'author',
  name: 'author',
  pubdate: 'date',
  published: 'date',
  updated: 'updated',
  'dc:date': 'date',
  description: 'summary',
  summary: 'summary',
  content: 'content',
  'content:encoded': 'content',
} as const;
type Field = (typeof fields)[keyof typeof fields];

/** RSS (0.9 to 2.0, RDF) and Atom. */
export function readFeed(
  bytes: Uint8Array,
  { url, contentType }: { url: string; contentType?: string },
): Feed {
  const { text: xml } = decodePage(bytes, { contentType });
  const feed: Feed = { title: '', items: [], links: [] };
  const found = new Set<string>();
  let item: Partial<Record<Field, string>> | undefined;
  let link: string | undefined;
  let open: string | undefined;
  let text = '';

  const finish = () => {
    if (item === undefined) return;
    // Reading their text would take most of the time.
    if (feed.items.length >= mostItems) return;
    const { title = '', author, content, summary, date, updated, guid } = item;
    const address = link ?? item.link ?? (guid !== undefined && /^https?:/.test(guid) ? guid : undefined);
    const target = address === undefined ? undefined : normalizeUrl(address, url);
    const page = cleanHtml(Buffer.from(content ?? summary ?? ''), { url: target ?? url, charset: 'utf-8' });
    for (const each of page.links) found.add(each.url);
    const made: FeedItem = { title: plain(title), text: page.text };
    if (target !== undefined) made.url = target;
    if (author !== undefined) made.author = plain(author);
    const when = Date.parse(date ?? updated ?? '');
    if (!Number.isNaN(when)) made.date = new Date(when).toISOString();
    feed.items.push(made);
    item = undefined;
  };

  readXml(xml, {
    open(name, attribute) {
      if (name === 'item' || name === 'entry') {
        finish();
        item = {};
        link = undefined;
        open = undefined;
        return;
      }
      if (name === 'link' || name === 'atom:link') {
        const href = attribute('href');
        const rel = attribute('rel') ?? 'alternate';
        if (href !== undefined && item !== undefined && rel === 'alternate') link ??= href;
        else if (href !== undefined && rel === 'next') found.add(normalizeUrl(href, url) ?? '');
      }
      // Markup inside XHTML content has no field of its own.
      if (open === 'content' || open === 'summary' || open === 'content:encoded' || open === 'description')
        return;
      if (name in fields) [open, text] = [name, ''];
    },
    text(more) {
      if (open !== undefined) text += more;
    },
    close(name) {
      if (name === 'item' || name === 'entry') return finish();
      if (name !== open) return;
      const field = fields[name as keyof typeof fields];
      if (item !== undefined) item[field] ??= text.trim();
      else if (field === 'title' && feed.title === '') feed.title = plain(text);
      open = undefined;
    },
  });
  finish();
  found.delete('');
  feed.links = [...found];
  return feed;
}

/** Titles may hold markup, escaped. */
function plain(text: string): string {
  return cleanHtml(Buffer.from(text), { url: 'http://localhost/', charset: 'utf-8' }).text.replaceAll(
    /\s+/g,
    ' ',
  );
}
