import type { Blobs } from '../../engine/blobs/blobs.ts';
import { parseJson } from '../../engine/ground/json.ts';
import type { Request } from '../../engine/request/request.ts';
import { sizeOf } from '../../engine/request/result-files.ts';
import { contentOf } from '../../engine/results/stored-files.ts';
import { keywordsOfPage } from '../documents/document-keywords.ts';
import { judgeReading, type Reading, unread } from '../documents/page-quality.ts';
import { resultFiles } from '../formats/output-formats.ts';
import { files } from '../page/files.ts';
import { mostPageBytes, page } from '../page/page.ts';
import { toText } from '../text/text.ts';

/** A page has at most 1,000 keywords. */
const mostKeywordBytes = 256 * 1024;

/** What a document stores about a page that was read. */
export interface PageReading extends Omit<Reading, 'words' | 'unreadLines'> {
  words: number | null;
  unreadLines: number | null;
  language: string | null;
  keywordsJson: string | null;
  /** For search, with hyphenated words joined; undefined if there is nothing to index. */
  text: string | undefined;
}

export async function readingOf(blobs: Blobs, request: Request): Promise<PageReading> {
  const find = (name: string) => request.results.find((file) => file.name === name);
  const model = find(files.page);
  const keywords = find(files.keywords);
  const keywordsJson =
    keywords && sizeOf(keywords) <= mostKeywordBytes
      ? keywordsOfPage(Buffer.from(await contentOf(blobs, keywords)).toString())
      : null;
  if (model) {
    // A custom stage may have written something else there.
    const parsed = page.safeParse(parseJson(Buffer.from(await contentOf(blobs, model)).toString()));
    if (parsed.success) {
      const reading = judgeReading(parsed.data);
      // Don't index noise.
      const text = reading.quality === 'no-text' ? undefined : joined(toText(parsed.data));
      // Without words, the language would be a guess from nothing.
      const language = reading.words === 0 ? null : (parsed.data.language?.slice(0, 300) ?? null);
      return { ...reading, language, keywordsJson, text };
    }
  }
  const { quality, confidence, words, doubtfulWords, unreadLines, language } = unread;
  const unknown = { quality, confidence, words, doubtfulWords, unreadLines, language, keywordsJson };
  const plain = find(resultFiles.txt);
  if (!plain || sizeOf(plain) > mostPageBytes) return { ...unknown, text: undefined };
  return { ...unknown, text: joined(Buffer.from(await contentOf(blobs, plain)).toString()) };
}

function joined(text: string): string {
  return text.replaceAll(/(\p{L})[-\u00ad\u2010\u2e17¬]\n(?=\p{Ll})/gu, '$1');
}
