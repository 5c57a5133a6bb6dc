import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { answerQuestions } from '../../engine/processor/answer-questions.ts';
import { type Converted, type ConvertedMessage, linksIn } from '../../formats/converted/converted.ts';
import { renderScans } from '../scans/render-scans.ts';
import { convertDocument, kindOf } from '../text/formats/convert.ts';
import { readFeed } from '../text/formats/feed.ts';
import { readMbox } from '../text/formats/mbox.ts';
import { readSitemap } from '../text/formats/sitemap.ts';
import { normalizeUrl } from '../text/url/normalize-url.ts';
import type { Conversion, ConvertQuestion } from './converter.ts';

const largestUnpacked = 200_000_000;
const mostMessages = 20_000;
const longestArchive = 50_000_000;

/** Converts files of other formats in a process of its own, because a file may hang a library or take all memory. */
answerQuestions<ConvertQuestion, Conversion | null>(async (question) => {
  const { url, contentType } = question;
  const bytes = await unpacked(question.bytes);
  const kind = kindOf(bytes, { url, contentType });
  if (kind === 'sitemap') {
    const links: string[] = [];
    for await (const entry of readSitemap(oneChunk(bytes))) links.push(entry.url);
    return { kind, text: '', links };
  }
  if (kind === 'feed') {
    const { title, items, links } = readFeed(bytes, { url, contentType });
    return { kind, title, text: '', links: [...items.flatMap((item) => item.url ?? []), ...links] };
  }
  if (kind === 'mbox') return readArchive(bytes);
  const converted = await convertDocument(bytes, { url, contentType });
  if (kind !== 'pdf' || converted?.text !== '' || !question.wantsScans) return converted ?? null;
  return { ...converted, scans: await renderScans(bytes) };
});

/** Mailboxes and sitemaps are often .gz files. */
async function unpacked(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return promisify(gunzip)(bytes, { maxOutputLength: largestUnpacked });
}

/** Every message of a mailbox is a document; its links are followed. */
async function readArchive(bytes: Uint8Array): Promise<Converted> {
  const messages: ConvertedMessage[] = [];
  const links = new Set<string>();
  let length = 0;
  for await (const message of readMbox(oneChunk(bytes))) {
    const { id = String(messages.length + 1), subject: title, from: author, date, text } = message;
    length += text.length;
    if (messages.length >= mostMessages || length > longestArchive) break;
    messages.push({ fragment: encodeURIComponent(id.toWellFormed()), title, author, date, text });
    for (const link of [...message.links, ...linksIn(text)]) links.add(link);
  }
  return { kind: 'mbox', text: '', links: [...links].flatMap((link) => normalizeUrl(link) ?? []), messages };
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
