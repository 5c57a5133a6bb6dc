import type { Engine } from '../engine/composition/engine.ts';
import type { Reported } from '../engine/sample/measured.ts';
import type { Progress } from '../engine/sample/sample.ts';
import type { CrawlStatistics } from './crawl/statistics.ts';
import { robotDatabase } from './database/tables.ts';

const mostCrawls = 50;

/** How far the running crawls have come. Their totals grow with what they find. */
export async function robotProgress(engine: Pick<Engine, 'database'>): Promise<Progress[]> {
  return (await running(engine)).map(({ id, owner, name, figures }) => ({
    kind: 'robot',
    entity: id,
    owner,
    name,
    done: figures.requests,
    total: figures.requests + figures.queued,
  }));
}

/** What crawls fetch, store and have before them. */
export async function robotSeries(engine: Pick<Engine, 'database'>): Promise<Reported[]> {
  return (await running(engine)).flatMap(({ id, owner, figures }): Reported[] => [
    { name: `robot.requests/${id}`, kind: 'total', value: figures.requests, owner },
    { name: `robot.documents/${id}`, kind: 'total', value: figures.documents, owner },
    { name: `robot.bytes/${id}`, kind: 'total', value: figures.bytes, owner },
    { name: `robot.queued/${id}`, kind: 'level', value: figures.queued, owner },
  ]);
}

async function running(engine: Pick<Engine, 'database'>) {
  const rows = await robotDatabase(engine)
    .query.selectFrom('robot_crawl')
    .select(['id', 'name', 'owner', 'statistics'])
    .where('state', '=', 'running')
    .orderBy('number', 'desc')
    .limit(mostCrawls)
    .execute();
  return rows.map(({ statistics, ...crawl }) => ({
    ...crawl,
    figures: JSON.parse(statistics) as CrawlStatistics,
  }));
}
