import type { VisitResult } from '../batch/report.ts';

/** What a crawl has done so far. The keeper updates it in the transaction that merges results. */
export interface CrawlStatistics {
  requests: number;
  documents: number;
  unchanged: number;
  bytes: number;
  htmlBytes: number;
  textBytes: number;
  words: number;
  sentences: number;
  redirects: number;
  disallowed: number;
  /** Documents whose links were not followed because they were the second useless page in a row. */
  notFollowed: number;
  /** Failures by kind: `http 404`, `timeout`, ... */
  errors: Record<string, number>;
  languages: Record<string, number>;
  batches: number;
  lostBatches: number;
  domains: number;
  queued: number;
  addresses: { waiting: number; active: number; resting: number; done: number };
  /** Milliseconds by activity, summed over all harvesters. */
  spent: Record<string, number>;
  /** When these figures were taken. */
  at: number;
}

export function noStatistics(): CrawlStatistics {
  return {
    requests: 0,
    documents: 0,
    unchanged: 0,
    bytes: 0,
    htmlBytes: 0,
    textBytes: 0,
    words: 0,
    sentences: 0,
    redirects: 0,
    disallowed: 0,
    notFollowed: 0,
    errors: {},
    languages: {},
    batches: 0,
    lostBatches: 0,
    domains: 0,
    queued: 0,
    addresses: { waiting: 0, active: 0, resting: 0, done: 0 },
    spent: {},
    at: 0,
  };
}

/** Counts the result of one visit. */
export function countVisit(statistics: CrawlStatistics, visit: VisitResult): void {
  if (visit.outcome === 'disallowed') {
    if (visit.kind === 'page') statistics.disallowed++;
    return;
  }
  statistics.requests++;
  statistics.bytes += visit.bytes;
  if (visit.kind !== 'page' || visit.outcome === 'postponed') return;
  if (visit.isNotFollowed) statistics.notFollowed++;
  switch (visit.outcome) {
    case 'stored':
      // A page that is archived without text counts as one document.
      statistics.documents += visit.languages?.length ?? 1;
      statistics.htmlBytes += visit.bytes;
      statistics.textBytes += visit.textBytes ?? 0;
      statistics.words += visit.words ?? 0;
      statistics.sentences += visit.sentences ?? 0;
      for (const language of visit.languages ?? []) add(statistics.languages, language, 1);
      return;
    case 'unchanged':
      statistics.unchanged++;
      return;
    case 'redirected':
      statistics.redirects++;
      return;
    default:
      // Sitemaps and feeds are read for their links only: not keeping them is no error.
      if (visit.outcome === 'not-kept' && (visit.reason === 'sitemap' || visit.reason === 'feed')) return;
      addError(statistics, visit.reason ?? visit.outcome);
  }
}

/** Limits the kinds of errors, because servers make some of them up (types of files). */
const mostKinds = 200;

export function addError({ errors }: CrawlStatistics, kind: string, amount = 1): void {
  const isKnown = Object.hasOwn(errors, kind) || Object.keys(errors).length < mostKinds;
  add(errors, isKnown ? kind : 'other', amount);
}

/** All figures under plain names: `errors`, `errors http 404`, `addresses resting`, `ms clean`. */
export function eventFigures(statistics: CrawlStatistics): Record<string, number> {
  const { errors, languages, addresses, spent, at: _, ...plain } = statistics;
  const named = (prefix: string, counts: Record<string, number>) =>
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${prefix} ${name}`, count]));
  return {
    ...plain,
    errors: Object.values(errors).reduce((sum, count) => sum + count, 0),
    ...named('errors', errors),
    ...named('language', languages),
    ...named('addresses', addresses),
    ...named('ms', spent),
  };
}

function add(counts: Record<string, number>, name: string, amount: number): void {
  // A segmenter may name a language `constructor`.
  counts[name] = (Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0) + amount;
}
