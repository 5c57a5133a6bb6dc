import { createHash } from 'node:crypto';
import type { CrawlDefinition } from '../crawl/options.ts';
import type { Answer } from '../fetch/fetch-page.ts';
import { type Fingerprint, fingerprint } from '../text/fingerprint.ts';
import { cleanHtml } from '../text/html/clean-html.ts';
import { type Segmented, segment } from '../text/segment/segment.ts';
import { type Conversion, isHtml, isUnreadable } from './converter.ts';

/** A text of a page: most pages have one, a mailbox has one for each message. */
export interface ReadDocument {
  /** Identifies a message of a mailbox. */
  fragment?: string | undefined;
  title: string;
  author?: string | undefined;
  date?: string | undefined;
  text: string;
  /** Absent if the crawl only archives (`text: false`). */
  measured?: { segmented: Segmented; print: Fingerprint };
}

export interface ReadPage {
  kind: string;
  metaRobots: string[];
  links: { url: string; nofollow: boolean }[];
  /** Empty if the page is only a list of links: a feed, a sitemap. */
  documents: ReadDocument[];
  /** The pages of a PDF without text, as images for a pipeline. */
  scans?: Uint8Array[] | undefined;
}

/**
 * Maximum length of HTML that is read. A page of tiny paragraphs takes 40 times its size in memory, and a harvester that runs out of memory
 * loses the work of all its crawls.
 */
const longestHtml = 10_000_000;

/** Reads text and links of any format; undefined if there is nothing to read. */
export function readPage(
  answer: Answer,
  {
    url,
    converted,
    options,
    spend,
  }: {
    url: string;
    /** Set if the answer is a file of another format. */
    converted: Conversion | undefined;
    options: Pick<CrawlDefinition, 'main' | 'text' | 'language'>;
    spend(activity: string, ms: number): void;
  },
): ReadPage | undefined {
  const began = performance.now();
  const page = isHtml(answer) ? readHtml(answer, url, options) : converted && readConverted(converted);
  if (!page) return undefined;
  const cleaned = performance.now();
  spend('clean', cleaned - began);
  if (options.text)
    for (const document of page.documents) {
      const segmented = segment(document.text, { languages: options.language });
      document.measured = { segmented, print: fingerprint(document.text) };
    }
  spend('segment', performance.now() - cleaned);
  return page;
}

function readHtml(
  answer: Answer,
  url: string,
  { main, text }: Pick<CrawlDefinition, 'main' | 'text'>,
): ReadPage {
  const wantsMain = main && text;
  const contentType = answer.headers['content-type'];
  const page = cleanHtml(answer.body.subarray(0, longestHtml), { contentType, url, main: wantsMain });
  const { title, author, date, metaRobots, links } = page;
  const kept = wantsMain ? (page.mainText ?? '') : page.text;
  return { kind: 'html', metaRobots, links, documents: [{ title, author, date, text: kept }] };
}

function readConverted({
  kind,
  text,
  title = '',
  author,
  date,
  links,
  metaRobots = [],
  messages,
  scans,
}: Conversion): ReadPage {
  const found = links.map((url) => ({ url, nofollow: false }));
  const hasText = kind !== 'feed' && kind !== 'sitemap' && !isUnreadable(kind);
  const documents = messages ?? (!hasText ? [] : [{ title, author, date, text }]);
  return { kind, metaRobots, links: found, documents: documents.map((each) => ({ ...each })), scans };
}

/** A fingerprint of all texts of the page, from which a later visit sees whether they have changed. Undefined if there is no text. */
export function exactOf({ documents, scans }: ReadPage): string | undefined {
  if (scans) {
    const hash = createHash('sha256');
    for (const image of scans) hash.update(image);
    return hash.digest('base64url');
  }
  const prints = documents.flatMap(({ measured, text }) =>
    text === '' ? [] : (measured?.print.exact ?? []),
  );
  const [only] = prints;
  return prints.length > 1 ? fingerprint(prints.join(' ')).exact : only;
}
