import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Engine } from '../../engine/composition/engine.ts';
import { ManualClock } from '../../engine/time/clock.ts';
import { openTestEngine } from '../../server/testing/test-engine.ts';
import type { BatchPlan, ScoutPlan, Stop, Visit } from '../batch/plan.ts';
import type { Report, ScoutResult, VisitResult } from '../batch/report.ts';
import { changeState, createCrawl } from '../crawl/crawls.ts';
import { type CrawlDefinition, crawlDefinition } from '../crawl/options.ts';
import { loadScope } from '../crawl/scope.ts';
import { type BatchRow, robotDatabase } from '../database/tables.ts';
import type { Answer } from '../fetch/fetch-page.ts';
import { SeenLinks } from '../harvest/seen-links.ts';
import { storePage } from '../harvest/store-page.ts';
import { SegmentBuffer } from '../segments/segment-buffer.ts';
import { parseRobots } from '../text/robots-rules.ts';
import { Keeper } from './keeper.ts';

/** A clock whose time of day somebody sets. */
class SetClock extends ManualClock {
  ahead = 0;
  override now(): number {
    return super.now() + this.ahead;
  }
  uptime(): number {
    return super.now();
  }
}

/** What a page answers: links, or the target of a redirect. */
type Page = { links: string[] } | { location: string };

/** A crawl whose harvester is the test itself. */
async function openCrawl(t: TestContext, options: Partial<CrawlDefinition>, given?: Engine, name = 'test') {
  const engine = given ?? (await openTestEngine(t));
  const database = robotDatabase(engine);
  const definition = crawlDefinition.parse({ contact: 'robot@example.org', warc: false, ...options });
  const { id } = await createCrawl(engine, { name, owner: 'local', limit: 0 }, definition);
  const { number } = await changeState(engine, { crawl: id, owner: 'local' }, 'running');
  const clock = new SetClock();
  const { log, random } = engine;
  const scope = await loadScope(definition);
  const open = (fence: number) =>
    Keeper.open(
      {
        database,
        clock,
        log,
        random,
        leaseMs: 60_000,
        mayLive: () => true,
        parseRobots: (text) => parseRobots(Buffer.from(text, 'latin1')),
      },
      id,
      fence,
    );

  const claimed = async (): Promise<BatchRow[]> =>
    database.query
      .updateTable('robot_batch')
      .set({ state: 'claimed', harvester: 'test' })
      .where('crawl', '=', Number(number))
      .where('state', '=', 'offered')
      .returningAll()
      .execute();
  const report = (batch: string, results: Report) =>
    database.query
      .insertInto('robot_result')
      .values({ crawl: Number(number), batch, results: JSON.stringify(results) })
      .execute();
  const scout = (row: BatchRow, addressOf: (host: string) => string | undefined) => {
    const scouted = (JSON.parse(row.plan) as ScoutPlan).domains.map(({ domain, host }): ScoutResult => {
      const address = addressOf(host);
      return { domain, addresses: address ? [address] : [], ...(!address && { isTemporary: true }) };
    });
    return report(row.id, { visits: [], scouted, ended: true });
  };
  const visit = (stop: Stop, { path, kind, depth, attempts }: Visit, page: Page): VisitResult => {
    const known = { domain: stop.domain, path, kind, depth, attempts, at: clock.now(), ms: 1, bytes: 1 };
    if (kind === 'robots') return { ...known, outcome: 'stored', robots: '' };
    if (kind === 'tdm') return { ...known, outcome: 'stored', tdm: '' };
    const headers: Record<string, string> = 'location' in page ? { location: page.location } : {};
    const body = Buffer.from('x');
    const answer: Answer = {
      status: 'location' in page ? 301 : 200,
      statusText: '',
      rawHeaders: [],
      headers,
      raw: body,
      body,
      isCut: false,
    };
    const links = 'links' in page ? page.links.map((url) => ({ url, nofollow: false })) : [];
    return storePage(
      { options: definition, scope, seen: new SeenLinks(), spend: () => {} },
      new SegmentBuffer('utf-8'),
      {
        stop,
        answer,
        at: clock.now(),
        ms: 1,
        visit: { path, kind, depth, attempts, parent: 1, hops: 0 },
        page: { kind: 'feed', metaRobots: [], documents: [], links },
      },
    );
  };
  const harvest = async (row: BatchRow, pageAt: (url: string) => Page) => {
    const { rows } = JSON.parse(row.plan) as BatchPlan;
    const asked = rows.flat().flatMap((stop) => stop.visits.map((each) => ({ stop, each })));
    const results = asked.map(({ stop, each }) => visit(stop, each, pageAt(`${stop.origin}${each.path}`)));
    await report(row.id, { visits: results, ended: true });
    return asked.map(({ stop, each }) => `${stop.origin}${each.path}`);
  };
  return { engine, database, clock, number: Number(number), open, claimed, scout, harvest, report };
}

test('a page that turns out to be nearer brings everything behind its redirect nearer, even to a new keeper', async (t) => {
  const seeds = ['http://a.cz/', 'http://b.cz/'];
  const { clock, open, claimed, scout, harvest } = await openCrawl(t, {
    seeds,
    depth: 2,
    generalPause: 1,
    attempts: 20,
  });
  const web: Record<string, Page> = {
    'http://a.cz/': { links: ['http://a.cz/far'] },
    'http://a.cz/far': { links: ['http://a.cz/moved'] },
    'http://a.cz/moved': { location: '/here' },
    'http://a.cz/here': { links: ['http://a.cz/behind'] },
    'http://a.cz/behind': { links: ['http://a.cz/too-deep'] },
    'http://b.cz/': { links: ['http://a.cz/moved'] },
  };
  const asked: string[] = [];
  let isLate = true;
  const rounds = async (keeper: Keeper) => {
    for (let round = 0; round < 12; round++) {
      await keeper.round();
      for (const row of await claimed())
        if (row.kind === 'scout')
          await scout(row, (host) => (host === 'b.cz' && isLate ? undefined : '192.0.2.1'));
        else asked.push(...(await harvest(row, (url) => web[url] ?? { links: [] })));
      clock.advance(10_000);
    }
  };
  await rounds(await open(1));
  assert.ok(asked.includes('http://a.cz/here') && !asked.includes('http://a.cz/behind'));
  isLate = false;
  clock.advance(600_000);
  await rounds(await open(2));
  assert.ok(asked.includes('http://a.cz/behind'));
  assert.ok(!asked.includes('http://a.cz/too-deep'));
});

test('a keeper that was deposed changes nothing from the moment its successor has read the tables', async (t) => {
  const { open, claimed, scout } = await openCrawl(t, { seeds: ['http://a.cz/'] });
  const first = await open(1);
  await first.round();
  const [batch] = await claimed();
  assert.ok(batch);
  await scout(batch, () => '192.0.2.1');
  const second = await open(2);
  await assert.rejects(first.round(), { code: 'hold-lost' });
  await second.round();
  assert.equal((await claimed()).length, 1, 'the second one knows the address, and plans a visit');
});

test('a batch is lost when its harvester is silent, not when somebody sets the time', async (t) => {
  const { database, clock, open, claimed, scout } = await openCrawl(t, { seeds: ['http://a.cz/'] });
  const keeper = await open(1);
  await keeper.round();
  for (const row of await claimed()) await scout(row, () => '192.0.2.1');
  await keeper.round();
  const [batch] = await claimed();
  await keeper.round();
  const isHeld = async () => {
    await keeper.round();
    const rows = await database.query.selectFrom('robot_batch').select(['id', 'state']).execute();
    return rows.some(({ id, state }) => id === batch?.id && state === 'claimed');
  };
  clock.ahead = 3_600_000;
  assert.ok(await isHeld());
  clock.advance(3_600_000);
  assert.ok(!(await isHeld()));
});

test('after a batch an address rests as long as the strictest crawl that meets there wants, whatever was planned meanwhile', async (t) => {
  const quick = await openCrawl(t, { seeds: ['http://a.cz/', 'http://b.cz/'], generalPause: 1, reqDelay: 0 });
  const { engine, database, clock, open, claimed, scout, harvest } = quick;
  const strict = { seeds: ['http://c.cz/'], generalPause: 500 };
  const { number } = await openCrawl(t, strict, engine, 'strict');
  await database.query.insertInto('robot_interest').values({ address: '192.0.2.1', crawl: number }).execute();
  const addresses: Record<string, string> = { 'a.cz': '192.0.2.1' };
  const keeper = await open(1);
  const next = async () => {
    await keeper.round();
    const [row] = await claimed();
    assert.ok(row);
    return row;
  };
  await scout(await next(), (host) => addresses[host]);
  const first = await next();
  addresses['b.cz'] = '192.0.2.2';
  clock.advance(70_000);
  await scout(await next(), (host) => addresses[host]);
  const second = await next();
  for (const row of [first, second]) await harvest(row, () => ({ links: [] }));
  await keeper.round();
  const rests = await database.query.selectFrom('robot_address').select(['address', 'restsUntil']).execute();
  assert.deepEqual(
    rests.map(({ address, restsUntil }) => [address, Number(restsUntil) - clock.now()]).toSorted(),
    [
      ['192.0.2.1', 500_000],
      ['192.0.2.2', 1_000],
    ],
  );
});

test('a crawl that was resumed tells the others about every address that it contacts', async (t) => {
  const { engine, database, clock, open, claimed, scout, harvest } = await openCrawl(t, {
    seeds: ['http://a.cz/'],
    generalPause: 1,
  });
  const keeper = await open(1);
  await keeper.round();
  for (const row of await claimed()) await scout(row, () => '192.0.2.1');
  await keeper.round();
  const [first] = await claimed();
  assert.ok(first);
  for (const state of ['paused', 'running'] as const)
    await changeState(engine, { crawl: 'test', owner: 'local' }, state);
  await harvest(first, () => ({ links: ['http://a.cz/found'] }));
  await keeper.round();
  clock.advance(10_000);
  await keeper.round();
  assert.equal((await claimed()).length, 1);
  const known = await database.query.selectFrom('robot_interest').select('address').execute();
  assert.deepEqual(known, [{ address: '192.0.2.1' }]);
});
