import type { Stop, Visit } from '../batch/plan.ts';
import { againOf, type FoundLink, redirectMark, type VisitResult } from '../batch/report.ts';
import type { CrawlDefinition } from '../crawl/options.ts';
import type { Scope } from '../crawl/scope.ts';
import type { Answer } from '../fetch/fetch-page.ts';
import { askedToSlowDown } from '../politeness/slow-down.ts';
import type { SegmentBuffer } from '../segments/segment-buffer.ts';
import type { CorpusDocument } from '../text/corpus/document.ts';
import { notModifiedRecord, responseRecord } from '../text/corpus/warc.ts';
import type { Segmented } from '../text/segment/segment.ts';
import { type Decision, decide } from './decision.ts';
import { exactOf, type ReadPage } from './read-page.ts';
import type { SeenLinks } from './seen-links.ts';
import type { Segmenter } from './segmenter.ts';
import { isReservedBy } from './tdm-reservation.ts';

/** What all pages of a crawl in this thread share. */
export interface PageContext {
  options: CrawlDefinition;
  scope: Scope;
  seen: SeenLinks;
  /** Measures usability instead of the built-in segmenter. */
  segmenter?: Segmenter | undefined;
  /** Adds up the time spent, by activity. */
  spend(activity: string, ms: number): void;
}

const mostHops = 10;
/** Of the links of a page; the keeper merges them on the main thread. A sitemap of 50,000 addresses is smaller. */
const mostLinkCharacters = 3_500_000;

/** An answer, and what was read from it. */
export interface Fetched {
  stop: Stop;
  visit: Visit;
  answer: Answer;
  at: number;
  ms: number;
  /** Undefined if there is nothing to read. */
  page: ReadPage | undefined;
}

/** Whether an answer has a page; redirects and failures have none. */
export function hasPage({ status }: Answer): boolean {
  return status === 200 || status === 203;
}

/** Turns an answer into a stored document and the result for the keeper. */
export function storePage(
  context: PageContext,
  buffer: SegmentBuffer,
  { stop, visit, answer, at, ms, page }: Fetched,
): VisitResult {
  const { status } = answer;
  const result: VisitResult = {
    domain: stop.domain,
    path: visit.path,
    kind: 'page',
    depth: visit.depth,
    attempts: visit.attempts,
    outcome: 'failed',
    status,
    at,
    ms,
    bytes: answer.body.length,
    ...againOf(visit),
  };
  const url = `${stop.origin}${visit.path}`;
  if (status === 304) {
    const known = { url, result, answer, address: stop.address };
    if (context.options.warc) archive(buffer, known, { storedAt: visit.storedAt });
    return { ...result, outcome: 'unchanged', ...validators(visit) };
  }
  if (status >= 300 && status < 400) return followRedirect(context, { result, visit, url, answer });
  const slowDown = askedToSlowDown(answer, at);
  if (slowDown) return { ...result, outcome: 'later', reason: `http ${status}`, slowDown };
  if (status >= 500 || status === 408) return { ...result, outcome: 'later', reason: `http ${status}` };
  if (!hasPage(answer)) return { ...result, reason: `http ${status}` };
  return keepPage(context, buffer, { result, visit, url, answer, stop, page });
}

function validators(from: { etag?: string; lastModified?: string }) {
  return {
    ...(from.etag !== undefined && { etag: from.etag }),
    ...(from.lastModified !== undefined && { lastModified: from.lastModified }),
  };
}

/** The target is a request of its own for the keeper to plan: it may be on another host. */
function followRedirect(
  { scope, options }: PageContext,
  { result, visit, url, answer }: { result: VisitResult; visit: Visit; url: string; answer: Answer },
): VisitResult {
  const { location } = answer.headers;
  const target = location === undefined ? undefined : scope.normalize(location, url);
  if (target === undefined) return { ...result, reason: 'redirect to nowhere' };
  if (visit.hops + 1 > mostHops) return { ...result, reason: 'too many redirects' };
  const refusal = scope.refusal(target);
  if (refusal !== undefined) return { ...result, outcome: 'redirected', reason: refusal };
  const via = visit.via ?? url;
  const link: FoundLink = {
    url: target,
    depth: visit.depth,
    parent: visit.parent,
    hops: visit.hops + 1,
    via,
  };
  if (target === url) return { ...result, outcome: 'redirected' };
  const allLinks = options.depth > 0 ? [`${redirectMark}${target}`] : [];
  return { ...result, outcome: 'redirected', links: [link], allLinks };
}

function keepPage(
  context: PageContext,
  buffer: SegmentBuffer,
  {
    result,
    visit,
    url,
    answer,
    stop,
    page,
  }: { result: VisitResult; url: string } & Omit<Fetched, 'at' | 'ms'>,
): VisitResult {
  const { options } = context;
  const isReserved = stop.tdm !== undefined && isReservedBy(stop.tdm, visit.path);
  const decision = decide({
    agent: options.agent,
    headers: answer.rawHeaders,
    metaRobots: page?.metaRobots ?? [],
    isReserved,
  });
  if (decision.archive && options.warc) archive(buffer, { url, result, answer, address: stop.address });
  const base = { ...result, ...validatorsOf(answer) };
  if (!page) {
    const type = (answer.headers['content-type'] ?? 'unknown').split(';')[0]?.trim().toLowerCase();
    return { ...base, outcome: 'not-kept', reason: `type ${type?.slice(0, 60)}` };
  }
  const { documents, kind } = page;
  const measured = documents.flatMap(({ measured: each }) => each?.segmented ?? []);
  const usability = bestOf(measured) ?? 1;
  const links = decision.follow ? linksOf(context, { visit, measured, page }) : {};
  const exact = exactOf(page);
  const known = { ...base, usability, ...links, ...(exact !== undefined && { exact }) };
  if (documents.length === 0) return { ...known, outcome: 'not-kept', reason: kind };
  if (!decision.index)
    return { ...known, outcome: 'not-kept', reason: decision.because.join('; ').slice(0, 200) };
  if (exact !== undefined && exact === visit.exact) return { ...known, outcome: 'unchanged' };
  for (const document of documents) {
    if (!document.measured) continue;
    const { segmented, print } = document.measured;
    const { fragment, title, author, date, text } = document;
    const part = fragment === undefined ? '' : `#${fragment}`;
    const { headers } = answer;
    const stored: CorpusDocument = {
      url: `${visit.via ?? url}${part}`,
      finalUrl: `${url}${part}`,
      depth: visit.depth,
      ...segmented,
      fetchedAt: result.at,
      lastModified: headers['last-modified'],
      expires: headers.expires,
      title,
      author,
      date,
      text,
      sourceKind: kind,
      decision: decisionOf(decision),
    };
    buffer.addDocument(stored, print);
    if (page.scans) buffer.addScan({ document: stored, images: page.scans });
  }
  buffer.pages++;
  const sum = (of: (each: Segmented) => number) => measured.reduce((total, each) => total + of(each), 0);
  return {
    ...known,
    outcome: 'stored',
    textBytes: documents.reduce((total, { text }) => total + Buffer.byteLength(text), 0),
    ...(measured.length > 0 && {
      words: sum(({ words }) => words),
      sentences: sum(({ sentences }) => sentences),
      languages: measured.map(({ language }) => language),
    }),
  };
}

function archive(
  buffer: SegmentBuffer,
  { url, result, answer, address }: { url: string; result: VisitResult; answer: Answer; address: string },
  unchanged?: { storedAt: number | undefined },
): void {
  const { status, statusText: reason, rawHeaders: headers, body } = answer;
  const date = new Date(result.at).toISOString();
  const response = { status, reason, headers, body, address };
  const since = unchanged?.storedAt === undefined ? undefined : new Date(unchanged.storedAt).toISOString();
  const record = unchanged
    ? notModifiedRecord(url, response, { date, since })
    : responseRecord(url, response, date, () => undefined);
  const mime = (answer.headers['content-type'] ?? '').split(';', 1)[0]?.trim() ?? '';
  const { digest, isRevisit } = record;
  buffer.addRecord(record, { url, date, status, mime, digest, revisit: isRevisit });
}

function decisionOf({ index, follow, archive: kept, because }: Decision): string {
  if (index && follow && kept) return 'allowed';
  return because.join('; ');
}

function bestOf(measured: readonly Segmented[]): number | undefined {
  return measured.length > 0 ? Math.max(...measured.map(({ usability }) => usability)) : undefined;
}

/**
 * Links of the second useless page in a row are not followed. A list of links (a table of contents, a feed, a sitemap) is neither
 * useful nor useless: its links count as links of the page that led to it.
 */
function linksOf(
  { options, scope, seen }: PageContext,
  {
    visit,
    measured,
    page,
  }: {
    visit: Visit;
    measured: readonly Segmented[];
    page: { links: readonly { url: string; nofollow: boolean }[] };
  },
): Pick<VisitResult, 'links' | 'allLinks' | 'parent' | 'isList' | 'isNotFollowed'> {
  const own = bestOf(measured.filter(({ isList }) => !isList));
  if (own === 0 && visit.parent === 0) return page.links.length > 0 ? { isNotFollowed: true } : {};
  const parent = own ?? visit.parent;
  const depth = visit.depth + 1;
  const isTooDeep = options.depth > 0 && depth > options.depth;
  const links: FoundLink[] = [];
  const all: string[] = [];
  let characters = 0;
  for (const { url, nofollow } of page.links) {
    if (nofollow) continue;
    if (characters > mostLinkCharacters) break;
    const isNews = !isTooDeep && seen.isNews(url, depth, parent);
    // Most links were seen before, and asking the scope takes longer.
    if (options.depth === 0 && !isNews) continue;
    if (scope.refusal(url) !== undefined) continue;
    if (options.depth > 0) all.push(url);
    if (isNews) links.push({ url, depth, parent });
    characters += url.length;
  }
  return {
    parent,
    isList: own === undefined,
    ...(links.length > 0 && { links }),
    ...(all.length > 0 && { allLinks: all }),
  };
}

function validatorsOf({ headers }: Answer): { etag?: string; lastModified?: string } {
  const clean = (value: string) => value.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200);
  const { etag, 'last-modified': lastModified } = headers;
  return validators({
    ...(etag !== undefined && { etag: clean(etag) }),
    ...(lastModified !== undefined && { lastModified: clean(lastModified) }),
  });
}
