import type { Engine } from '../engine/composition/engine.ts';
import type { Caller } from '../engine/ground/caller.ts';
import type { Metric } from '../engine/ground/metric.ts';
import type { CrawlStatistics } from './crawl/statistics.ts';
import { robotDatabase } from './database/tables.ts';

const mostCrawls = 100;

/** The figures of running crawls that the caller may see. */
export async function robotMetrics(engine: Engine, { name: caller, role }: Caller): Promise<Metric[]> {
  let query = robotDatabase(engine)
    .query.selectFrom('robot_crawl')
    .select(['name', 'owner', 'statistics'])
    .where('state', '=', 'running');
  if (role !== 'admin') query = query.where('owner', '=', caller);
  const rows = await query.orderBy('number').limit(mostCrawls).execute();
  const crawls = rows.map(({ name, owner, statistics }) => ({
    labels: { crawl: name, owner },
    figures: JSON.parse(statistics) as CrawlStatistics,
  }));
  const metric = (
    name: string,
    type: Metric['type'],
    help: string,
    value: (figures: CrawlStatistics) => number,
  ): Metric => ({
    name: `pismak_robot_${name}`,
    help,
    type,
    samples: crawls.map(({ labels, figures }) => ({ labels, value: value(figures) })),
  });
  const perKind = (
    name: string,
    [type, label]: readonly [Metric['type'], string],
    help: string,
    counts: (figures: CrawlStatistics) => Record<string, number>,
  ): Metric => ({
    name: `pismak_robot_${name}`,
    help,
    type,
    samples: crawls.flatMap(({ labels, figures }) =>
      Object.entries(counts(figures)).map(([kind, value]) => ({
        labels: { ...labels, [label]: kind },
        value,
      })),
    ),
  });
  return [
    metric('requests_total', 'counter', 'Requests made', ({ requests }) => requests),
    metric('documents_total', 'counter', 'Pages stored', ({ documents }) => documents),
    metric('bytes_total', 'counter', 'Bytes fetched', ({ bytes }) => bytes),
    metric('words_total', 'counter', 'Words in texts', ({ words }) => words),
    metric('lost_batches_total', 'counter', 'Batches lost with their harvester', (each) => each.lostBatches),
    metric('queued', 'gauge', 'Pages queued', ({ queued }) => queued),
    metric('hosts', 'gauge', 'Hosts known', ({ domains }) => domains),
    perKind('errors_total', ['counter', 'kind'], 'Pages not stored, by reason', (each) =>
      mostFrequent(each.errors),
    ),
    perKind('addresses', ['gauge', 'state'], 'IP addresses by state', (each) => each.addresses),
  ];
}

/** Servers make up some reasons, so there may be many. */
function mostFrequent(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts)
      .sort(([, one], [, other]) => other - one)
      .slice(0, 20),
  );
}
