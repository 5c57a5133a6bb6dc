import type { z } from 'zod';
import { formatBytes, formatDuration } from '../../terminal/output/format.ts';
import type { crawlRow } from '../operations/rows.ts';

type Crawl = z.output<typeof crawlRow>;

const grouped = (number: number) => number.toLocaleString('en');

const counted = (number: number, one: string) => `${grouped(number)} ${one}${number === 1 ? '' : 's'}`;

/** What the terminal shows while a crawl runs. Rates are those since `before`. */
export function liveLines(crawl: Crawl, before: Crawl | undefined): string[] {
  const now = crawl.statistics;
  const then = before?.statistics ?? now;
  const seconds = Math.max(0.001, (now.at - then.at) / 1000);
  const rate = (name: 'documents' | 'bytes') => (now.at > then.at ? (now[name] - then[name]) / seconds : 0);
  const errors = Object.values(now.errors).reduce((sum, count) => sum + count, 0);
  const { waiting, active, resting, done } = now.addresses;
  return [
    `${crawl.name}: ${crawl.state}, ${counted(now.documents, 'page')}, ${rate('documents').toFixed(1)}/s, ` +
      `${formatBytes(now.bytes)}, ${formatBytes(rate('bytes'))}/s`,
    `${counted(now.words, 'word')}, text is ${share(now.textBytes, now.htmlBytes)} of the pages; ${counted(errors, 'error')}, ` +
      `${grouped(now.disallowed)} disallowed`,
    `${counted(now.domains, 'host')}; addresses: ${waiting} waiting, ${active} active, ${resting} resting, ${done} done; ` +
      `${grouped(now.queued)} queued`,
    ...(crawl.scansWaiting > 0 ? [`${grouped(crawl.scansWaiting)} scanned pages wait to be read`] : []),
  ];
}

/** The figures of a crawl, as lines of name and value. */
export function statisticsFields(crawl: Crawl): Record<string, string> {
  const { statistics: now, startedAt, finishedAt } = crawl;
  const ms = startedAt === null ? null : (finishedAt ?? now.at) - startedAt;
  const list = (counts: Record<string, number>, of = grouped) =>
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => `${name} ${of(count)}`)
      .join(', ') || 'none';
  const { waiting, active, resting, done } = now.addresses;
  return {
    crawl: `${crawl.name} (${crawl.id})`,
    state: crawl.state,
    time: formatDuration(ms),
    requests: grouped(now.requests),
    documents: `${grouped(now.documents)}${ms ? ` (${((1000 * now.documents) / ms).toFixed(1)}/s)` : ''}`,
    ...(now.unchanged > 0 && { unchanged: grouped(now.unchanged) }),
    bytes: formatBytes(now.bytes),
    text: `${formatBytes(now.textBytes)}, ${share(now.textBytes, now.htmlBytes)} of the pages`,
    words: grouped(now.words),
    sentences: grouped(now.sentences),
    languages: list(now.languages),
    redirects: grouped(now.redirects),
    disallowed: grouped(now.disallowed),
    ...(now.notFollowed > 0 && {
      'not followed': `links of ${grouped(now.notFollowed)} pages that are the second useless one in a row`,
    }),
    errors: list(now.errors),
    hosts: grouped(now.domains),
    addresses: `${waiting} waiting, ${active} active, ${resting} resting, ${done} done`,
    queued: grouped(now.queued),
    ...(crawl.scansWaiting > 0 && { 'scanned pages to read': grouped(crawl.scansWaiting) }),
    batches: `${grouped(now.batches)}, of which ${grouped(now.lostBatches)} were lost`,
    'time spent': list(now.spent, (spent) => formatDuration(spent)),
  };
}

function share(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;
}
