import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../engine/testing/eventually.ts';
import { sharedPostgres } from '../engine/testing/servers/shared.ts';
import { openTestEngine } from '../server/testing/test-engine.ts';
import type { Report, VisitResult } from './batch/report.ts';
import { changeState, createCrawl, findCrawl } from './crawl/crawls.ts';
import { crawlDefinition } from './crawl/options.ts';
import { type Database, type Queries, robotDatabase } from './database/tables.ts';
import { Keeper } from './keeper/keeper.ts';
import { addSegment, listSegments } from './segments/segment-list.ts';
import { parseRobots } from './text/robots-rules.ts';

const server = await sharedPostgres();
after(() => server.close());

/** A crawl of two hosts on PostgreSQL, where a transaction that draws a smaller id may be committed later. */
async function openCrawl(t: TestContext) {
  const url = await server.createDatabase();
  const settings = { broker: url, coordination: url, database: url, blobs: url };
  const engine = await openTestEngine(t, { settings });
  const database = robotDatabase(engine);
  const seeds = ['http://a.cz/', 'http://b.cz/'];
  const definition = crawlDefinition.parse({ seeds, contact: 'robot@example.org' });
  const { id } = await createCrawl(engine, { name: 'test', owner: 'local', limit: 0 }, definition);
  const { number } = await findCrawl(database.query, id, 'local');
  return { engine, database, id, crawl: Number(number) };
}

/** Does some work in a transaction that stays open until it is told to commit. */
async function begin(database: Database, work: (transaction: Queries) => Promise<unknown>) {
  const mayCommit = Promise.withResolvers<void>();
  const isReady = Promise.withResolvers<void>();
  const ended = database.transaction(async (transaction) => {
    await work(transaction);
    isReady.resolve();
    await mayCommit.promise;
  });
  await Promise.race([isReady.promise, ended]);
  return async () => {
    mayCommit.resolve();
    await ended;
  };
}

/** Whether some transaction waits for another. */
async function somebodyWaits({ query }: Database): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(query);
  return rows.length > 0;
}

test('the queuekeeper loses no report that is committed after one with a larger number', async (t) => {
  const { engine, database, id, crawl } = await openCrawl(t);
  const { clock, log, random } = engine;
  const parts = { database, clock, log, random, parseRobots: () => parseRobots(Buffer.alloc(0)) };
  const keeper = await Keeper.open({ ...parts, mayLive: () => true, leaseMs: 60_000 }, id, 1);
  await changeState(engine, { crawl: id, owner: 'local' }, 'running');
  await keeper.round();
  const hosts = await database.query.selectFrom('robot_domain').select('id').orderBy('id').execute();
  const report = (queries: Queries, index: number) => {
    const visit: VisitResult = {
      domain: Number(hosts[index]?.id),
      path: '/',
      kind: 'page',
      depth: 0,
      attempts: 0,
      outcome: 'stored',
      status: 200,
      at: clock.now(),
      ms: 1,
      bytes: 1,
    };
    const results = JSON.stringify({ visits: [visit] } satisfies Report);
    return queries.insertInto('robot_result').values({ crawl, batch: 'some', results }).execute();
  };

  const commitFirst = await begin(database, async (transaction) => {
    await report(transaction, 0);
    // The keeper writes this row first, so it waits here when it has read the second report.
    await transaction.updateTable('robot_crawl').set({ fence: 0 }).where('id', '=', id).execute();
  });
  await report(database.query, 1);
  const round = keeper.round();
  await eventually('the keeper has read the second report', () => somebodyWaits(database));
  await commitFirst();
  await round;
  assert.equal(keeper.statistics.documents, 1);
  await keeper.round();
  assert.equal(keeper.statistics.documents, 2);
});

test('an export misses no segment that is committed after one with a larger number', async (t) => {
  const { database, crawl } = await openCrawl(t);
  const ids = [0, 0];
  const add = async (queries: Queries, index: number) => {
    const blob = { hash: `${index}`, size: 1 };
    ids[index] = await addSegment(database, queries, { crawl, blob, parts: [], pages: 1, now: 0 });
  };
  const listed = async (number = crawl) =>
    (await listSegments(database, { crawl: number, after: 0, limit: 10 })).map(({ id }) => Number(id));

  const commitFirst = await begin(database, (transaction) => add(transaction, 0));
  await database.transaction((transaction) => add(transaction, 1));
  assert.deepEqual(await listed(crawl + 1), [], 'other crawls wait for nothing');
  const list = listed();
  await Promise.race([list, eventually('the export waits', () => somebodyWaits(database))]);
  await commitFirst();
  assert.deepEqual(await list, ids);
});
