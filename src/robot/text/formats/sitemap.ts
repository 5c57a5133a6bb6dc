import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readXml } from '../../../formats/markup/read-xml.ts';
import { normalizeUrl } from '../url/normalize-url.ts';

export interface SitemapEntry {
  url: string;
  /** It is a sitemap itself, named in an index of them. */
  isSitemap: boolean;
  lastModified?: string;
}

/** As the protocol allows. */
const mostEntries = 50_000;
const mostBytes = 50 << 20;
const longestEntry = 20_000;

/** Addresses of a sitemap or an index of sitemaps, one by one while it arrives; XML, packed or not, or plain text. */
export async function* readSitemap(source: AsyncIterable<Uint8Array>): AsyncGenerator<SitemapEntry> {
  const decoder = new TextDecoder();
  let rest = '';
  let bytes = 0;
  let count = 0;
  let isXml: boolean | undefined;
  for await (const chunk of unpacked(source)) {
    bytes += chunk.length;
    if (bytes > mostBytes) return;
    rest += decoder.decode(chunk, { stream: true });
    isXml ??= rest.trimStart() === '' ? undefined : rest.trimStart().startsWith('<');
    const end = isXml === true ? lastEnd(rest) : rest.lastIndexOf('\n') + 1;
    for (const entry of entriesIn(rest.slice(0, end), isXml === true)) {
      yield entry;
      count += 1;
      if (count >= mostEntries) return;
    }
    rest = rest.slice(end);
    // An entry that does not end is none.
    if (rest.length > longestEntry) rest = rest.slice(-longestEntry);
  }
  for (const entry of entriesIn(rest, isXml === true)) yield entry;
}

/** Behind the last entry that is complete. */
function lastEnd(xml: string): number {
  let end = 0;
  for (const match of xml.matchAll(/<\/(?:\w+:)?(?:url|sitemap)\s*>/gi)) end = match.index + match[0].length;
  return end;
}

function entriesIn(text: string, isXml: boolean): SitemapEntry[] {
  const entries: SitemapEntry[] = [];
  const add = (address: string, isSitemap: boolean, lastModified?: string) => {
    const url = normalizeUrl(address);
    if (url !== undefined) entries.push(lastModified ? { url, isSitemap, lastModified } : { url, isSitemap });
  };
  if (!isXml) {
    for (const line of text.split(/\r?\n/)) if (/^\s*https?:/i.test(line)) add(line, false);
    return entries;
  }
  let found: { loc: string; lastmod: string } | undefined;
  let field: 'loc' | 'lastmod' | undefined;
  readXml(text, {
    open(name) {
      const local = name.slice(name.indexOf(':') + 1);
      if (local === 'url' || local === 'sitemap') found = { loc: '', lastmod: '' };
      // Images and videos have a <loc> of their own, with another prefix.
      field =
        name === 'loc' || name === 'lastmod' || /^(?:sm|sitemap|s):/.test(name) ? asField(local) : undefined;
    },
    text(more) {
      if (found !== undefined && field !== undefined) found[field] += more;
    },
    close(name) {
      const local = name.slice(name.indexOf(':') + 1);
      field = undefined;
      if ((local !== 'url' && local !== 'sitemap') || found === undefined) return;
      if (found.loc.trim() !== '') add(found.loc, local === 'sitemap', found.lastmod.trim());
      found = undefined;
    },
  });
  return entries;
}

function asField(name: string): 'loc' | 'lastmod' | undefined {
  return name === 'loc' || name === 'lastmod' ? name : undefined;
}

/** What it is packed in is known by its first bytes; broken gzip ends where it breaks. */
async function* unpacked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return;
  const all = (async function* () {
    yield first.value;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  })();
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all;
    return;
  }
  const gunzip = createGunzip();
  const input = Readable.from(all);
  input.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const chunk of input.pipe(gunzip)) yield chunk as Uint8Array;
  } catch (error) {
    if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
  } finally {
    input.destroy();
    gunzip.destroy();
  }
}
