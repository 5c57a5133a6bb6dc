import type { CrawlDefinition } from '../crawl/options.ts';
import type { Scope } from '../crawl/scope.ts';
import { readRetryAfter } from '../politeness/slow-down.ts';
import type { CorpusDocument } from '../text/corpus/document.ts';
import { jsonLine, plainText, vertical } from '../text/corpus/lines.ts';
import { responseRecord } from '../text/corpus/warc.ts';
import { type Converted, cleanHtml, segment } from '../text/index.ts';
import { isHtml } from './converter.ts';
import { type Decision, decide } from './decision.ts';
import type { Answer } from './fetch-page.ts';
import type { FoundLink, Stop, Visit, VisitResult } from './plan.ts';
import type { SeenLinks } from './seen-links.ts';
import type { SegmentBuffer } from './segment-buffer.ts';

/** What handling a page needs, the same for all pages of a crawl in this thread. */
export interface PageContext {
  options: CrawlDefinition;
  scope: Scope;
  seen: SeenLinks;
  /** Adds up the time spent, by activity. */
  spend(activity: string, ms: number): void;
}

const mostHops = 10;

/** Turns an answer into a stored document and the result for the keeper. */
export function storePage(
  context: PageContext,
  buffer: SegmentBuffer,
  {
    stop,
    visit,
    answer,
    at,
    ms,
    converted,
  }: {
    stop: Stop;
    visit: Visit;
    answer: Answer;
    at: number;
    ms: number;
    /** If it is a file of another format. */
    converted?: Converted | undefined;
  },
): VisitResult {
  const { status, headers } = answer;
  const result: VisitResult = {
    ...{ domain: stop.domain, path: visit.path, kind: 'page', depth: visit.depth, attempts: visit.attempts },
    ...{ outcome: 'failed', status, at, ms, bytes: answer.body.length },
  };
  const url = `${stop.origin}${visit.path}`;
  if (status === 304) return { ...result, outcome: 'unchanged', ...validators(visit) };
  if (status >= 300 && status < 400) return followRedirect(context, { result, visit, url, answer });
  if (status === 429 || status === 503) {
    const retryAfterMs = readRetryAfter(headers['retry-after'], at);
    const slowDown = retryAfterMs === undefined ? {} : { retryAfterMs };
    return { ...result, outcome: 'later', reason: `http ${status}`, slowDown };
  }
  if (status >= 500 || status === 408) return { ...result, outcome: 'later', reason: `http ${status}` };
  if (status !== 200 && status !== 203) return { ...result, reason: `http ${status}` };
  return keepPage(context, buffer, { result, visit, url, answer, address: stop.address, converted });
}

function validators(from: { etag?: string; lastModified?: string }) {
  return {
    ...(from.etag !== undefined && { etag: from.etag }),
    ...(from.lastModified !== undefined && { lastModified: from.lastModified }),
  };
}

/** The target is a request of its own, for the keeper to plan: it may lie on another host. */
function followRedirect(
  { scope }: PageContext,
  { result, visit, url, answer }: { result: VisitResult; visit: Visit; url: string; answer: Answer },
): VisitResult {
  const target = scope.normalize(answer.headers.location ?? '', url);
  if (target === undefined) return { ...result, reason: 'redirect to nowhere' };
  if (visit.hops + 1 > mostHops) return { ...result, reason: 'too many redirects' };
  if (!scope.accepts(target)) return { ...result, outcome: 'redirected', reason: 'outside' };
  const via = visit.via ?? url;
  const link: FoundLink = {
    url: target,
    depth: visit.depth,
    parent: visit.parent,
    hops: visit.hops + 1,
    via,
  };
  const isSame = target === url;
  return { ...result, outcome: 'redirected', ...(!isSame && { links: [link] }) };
}

function keepPage(
  context: PageContext,
  buffer: SegmentBuffer,
  {
    result,
    visit,
    url,
    answer,
    address,
    converted,
  }: {
    result: VisitResult;
    visit: Visit;
    url: string;
    answer: Answer;
    address: string;
    converted: Converted | undefined;
  },
): VisitResult {
  const { options, spend } = context;
  const base = { ...result, ...validatorsOf(answer) };
  const began = performance.now();
  const page = readPage(answer, url, converted);
  if (!page) {
    const decision = decide({ agent: options.agent, headers: answer.rawHeaders, metaRobots: [] });
    if (decision.archive) archive(buffer, options, { url, result, answer, address });
    const type = (answer.headers['content-type'] ?? 'unknown').split(';')[0]?.trim().toLowerCase();
    return { ...base, outcome: 'not-kept', reason: `type ${type?.slice(0, 60)}` };
  }
  const cleaned = performance.now();
  spend('clean', cleaned - began);
  const decision = decide({ agent: options.agent, headers: answer.rawHeaders, metaRobots: page.metaRobots });
  const segmented = options.text ? segment(page.text, { languages: options.language }) : undefined;
  spend('segment', performance.now() - cleaned);
  // A sitemap or a feed is only a list of links, neither useful nor useless.
  const isList = page.text === '' && page.kind !== 'html';
  const usability = isList ? 1 : (segmented?.usability ?? 1);
  const links = decision.follow ? linksOf(context, { visit, usability, page }) : {};
  if (decision.archive) archive(buffer, options, { url, result, answer, address });
  const known = { ...base, usability, ...links };
  if (isList) return { ...known, outcome: 'not-kept', reason: page.kind };
  if (!decision.index)
    return { ...known, outcome: 'not-kept', reason: decision.because.join('; ').slice(0, 200) };
  if (segmented) {
    const { paragraphs, ...measured } = segmented;
    const document: CorpusDocument = {
      ...{ url: visit.via ?? url, finalUrl: url, depth: visit.depth, ...measured, paragraphs },
      fetchedAt: result.at,
      ...{ lastModified: answer.headers['last-modified'], expires: answer.headers.expires },
      ...{ title: page.title, text: page.text, sourceKind: page.kind },
      decision: decisionOf(decision),
    };
    keepDocument(buffer, document);
  }
  buffer.pages++;
  return {
    ...known,
    outcome: 'stored',
    textBytes: Buffer.byteLength(page.text),
    ...(segmented && {
      ...{ words: segmented.words, sentences: segmented.sentences, language: segmented.language },
    }),
  };
}

interface ReadPage {
  kind: string;
  text: string;
  title: string;
  metaRobots: string[];
  links: { url: string; nofollow: boolean }[];
}

/** Text and links, whatever the format; undefined if there is nothing to read. */
function readPage(answer: Answer, url: string, converted: Converted | undefined): ReadPage | undefined {
  if (isHtml(answer)) {
    const page = cleanHtml(answer.body, { contentType: answer.headers['content-type'], url });
    return { ...page, kind: 'html' };
  }
  if (!converted) return undefined;
  const { kind, text, title = '', links } = converted;
  return { kind, text, title, metaRobots: [], links: links.map((link) => ({ url: link, nofollow: false })) };
}

function keepDocument(buffer: SegmentBuffer, document: CorpusDocument): void {
  buffer.add('documents', jsonLine(document));
  // What is of no use stays on record, but is no part of the corpus.
  if (document.usability === 0) return;
  buffer.add('text', plainText(document));
  buffer.add('corpus', vertical(document));
}

function archive(
  buffer: SegmentBuffer,
  options: CrawlDefinition,
  { url, result, answer, address }: { url: string; result: VisitResult; answer: Answer; address: string },
): void {
  if (!options.warc) return;
  const { status, statusText: reason, rawHeaders: headers, body } = answer;
  const date = new Date(result.at).toISOString();
  const { bytes } = responseRecord(url, { status, reason, headers, body, address }, date, () => undefined);
  buffer.addRecord(bytes);
}

function decisionOf({ index, follow, archive: kept, because }: Decision): string {
  if (index && follow && kept) return 'allowed';
  return because.join('; ');
}

/** Links of the second useless page in a row are not followed. */
function linksOf(
  { options, scope, seen }: PageContext,
  {
    visit,
    usability,
    page,
  }: { visit: Visit; usability: number; page: { links: readonly { url: string; nofollow: boolean }[] } },
): Pick<VisitResult, 'links' | 'allLinks'> {
  if (usability === 0 && visit.parent === 0) return {};
  const depth = visit.depth + 1;
  const isTooDeep = options.depth > 0 && depth > options.depth;
  const links: FoundLink[] = [];
  const all: string[] = [];
  for (const { url, nofollow } of page.links) {
    if (nofollow || !scope.accepts(url) || scope.trap(url) !== undefined) continue;
    if (options.depth > 0) all.push(url);
    if (!isTooDeep && seen.isNews(url, depth, usability)) links.push({ url, depth, parent: usability });
  }
  return { ...(links.length > 0 && { links }), ...(all.length > 0 && { allLinks: all }) };
}

function validatorsOf({ headers }: Answer): { etag?: string; lastModified?: string } {
  const clean = (value: string) => value.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200);
  const { etag, 'last-modified': lastModified } = headers;
  return validators({
    ...(etag !== undefined && { etag: clean(etag) }),
    ...(lastModified !== undefined && { lastModified: clean(lastModified) }),
  });
}
