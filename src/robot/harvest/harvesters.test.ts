import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { DiskShortage } from '../../engine/disk/disk-reserve.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { openTestEngine } from '../../server/testing/test-engine.ts';
import type { BatchPlan } from '../batch/plan.ts';
import type { Report } from '../batch/report.ts';
import { changeState, createCrawl, findCrawl } from '../crawl/crawls.ts';
import { type CrawlDefinition, crawlDefinition, rulesOf } from '../crawl/options.ts';
import { robotDatabase } from '../database/tables.ts';
import { quick } from '../testing/crawl-web.ts';
import { Harvesters } from './harvesters.ts';

/** Tells when a method is called. */
function watched<T extends object>(target: T, method: keyof T, called: () => void): T {
  return new Proxy(target, {
    get(_, name) {
      if (name === method) called();
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A database in which a test offers batches itself. */
async function openFrontier(t: TestContext, origin: string, options: Partial<CrawlDefinition> = {}) {
  const engine = await openTestEngine(t);
  const database = robotDatabase(engine);
  const definition = crawlDefinition.parse({
    seeds: [`${origin}/`],
    allowPrivate: true,
    ...quick,
    ...options,
  });
  const { id } = await createCrawl(engine, { name: 'x', owner: 'local', limit: 0 }, definition);
  await changeState(engine, { crawl: id, owner: 'local' }, 'running');
  const crawl = Number((await findCrawl(database.query, id, 'local')).number);
  const offer = (path: string) => {
    const visit = { path, kind: 'page' as const, depth: 0, parent: 1, hops: 0, attempts: 0 };
    const stop = { domain: 1, origin, host: '127.0.0.1', address: '127.0.0.1', delayMs: 0, visits: [visit] };
    const plan: BatchPlan = { rules: rulesOf(definition), rows: [[stop]] };
    return database.query
      .insertInto('robot_batch')
      .values({
        id: path,
        crawl,
        kind: 'harvest',
        state: 'offered',
        harvester: null,
        renewals: 0,
        requests: 1,
        plan: JSON.stringify(plan),
        addresses: '[]',
        createdAt: engine.clock.now(),
      })
      .execute();
  };
  const reports = async (batch: string): Promise<Report[]> => {
    const rows = await database.query
      .selectFrom('robot_result')
      .select('results')
      .where('batch', '=', batch)
      .orderBy('id')
      .execute();
    return rows.map(({ results }) => JSON.parse(results) as Report);
  };
  const reported = (batch: string) => async () => {
    const results = await database.query.selectFrom('robot_result').select('batch').execute();
    return results.some((result) => result.batch === batch);
  };
  return { database, engine, id, offer, reported, reports };
}

const roomy = { isShort: false, shortages: () => [] };

test('a batch that is claimed while harvesters are taken away is carried out by those that stay', async (t) => {
  let release = () => {};
  const server = createServer((request, response) => {
    if (request.url === '/quick') response.end('quick');
    else release = () => response.end('slow');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { database, engine, offer, reported } = await openFrontier(t, origin);
  let isClaiming = false;
  const query = watched(database.query, 'updateTable', () => {
    if (isClaiming) harvesters.count = 1;
  });
  const harvesters = new Harvesters(
    {
      database: { ...database, query },
      blobs: engine.blobs,
      clock: engine.clock,
      log: engine.log,
      disk: roomy,
      process: 'here',
      leaseMs: 60_000,
      reported() {},
      segmenter() {},
    },
    2,
  );
  t.after(() => harvesters.close());
  await offer('/slow');
  harvesters.wake();
  await eventually('one is busy', () => harvesters.load.inFlight === 1);
  isClaiming = true;
  await offer('/quick');
  harvesters.wake();
  await eventually('it was carried out', reported('/quick'));
  assert.ok(!(await reported('/slow')()));
  release();
  await eventually('so was the other', reported('/slow'));
});

test('no batch begins while the disk is short of room, and crawling goes on when there is some', async (t) => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.end('page');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { database, engine, offer, reported } = await openFrontier(t, origin);
  const looked = { times: 0 };
  let shortages: DiskShortage[] = [{ directory: '/', stores: ['blobs'], freeBytes: 1, reserveBytes: 2 }];
  const disk = {
    isShort: false,
    shortages() {
      looked.times++;
      return shortages;
    },
  };
  const harvesters = new Harvesters(
    {
      database,
      blobs: engine.blobs,
      clock: engine.clock,
      log: engine.log,
      disk,
      process: 'here',
      leaseMs: 60_000,
      reported() {},
      segmenter() {},
    },
    1,
  );
  t.after(() => harvesters.close());
  await offer('/page');
  const before = looked.times;
  harvesters.wake();
  await eventually('it has looked again', () => looked.times >= before + 2);
  assert.equal(requests, 0);
  shortages = [];
  harvesters.wake();
  await eventually('the batch was carried out', reported('/page'));
  assert.equal(requests, 1);
});

const slowExpression = '.?'.repeat(4_900);
const manyHosts = Array.from(
  { length: 20_000 },
  (_, n) => `<a href="http://www.host-${n}.example.cz/">x</a>`,
);

test('a page that takes too long is given up by name, its batch ends, and the harvester goes on', async (t) => {
  const server = createServer(({ url }, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(url === '/bad' ? manyHosts.join('') : 'page');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { database, engine, offer, reported, reports } = await openFrontier(t, origin, {
    include: slowExpression,
  });
  const harvesters = new Harvesters(
    {
      database,
      blobs: engine.blobs,
      clock: engine.clock,
      log: engine.log,
      disk: roomy,
      process: 'here',
      leaseMs: 60_000,
      reported() {},
      segmenter() {},
      budget: { cpuMs: 50, wallMs: 60_000 },
    },
    1,
  );
  t.after(() => harvesters.close());
  await offer('/bad');
  harvesters.wake();
  await eventually('the batch has ended', async () => (await reports('/bad')).some(({ ended }) => ended));
  const visits = (await reports('/bad')).flatMap((report) => report.visits);
  assert.deepEqual(
    visits.map(({ path, outcome, reason, status }) => ({ path, outcome, reason, status })),
    [{ path: '/bad', outcome: 'not-kept', reason: 'page that takes too long', status: 200 }],
  );
  assert.ok(visits.every(({ slowDown }) => slowDown === undefined));
  await offer('/good');
  harvesters.wake();
  await eventually('another page was read', reported('/good'));
});

test('a crawl that is stopped frees its harvester, although a server does not answer', async (t) => {
  let requests = 0;
  const server = createServer(() => {
    requests++;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { database, engine, id, offer, reports } = await openFrontier(t, origin, { pageTimeout: 600 });
  const harvesters = new Harvesters(
    {
      database,
      blobs: engine.blobs,
      clock: engine.clock,
      log: engine.log,
      disk: roomy,
      process: 'here',
      leaseMs: 60_000,
      reported() {},
      segmenter() {},
    },
    1,
  );
  t.after(() => harvesters.close());
  await offer('/silent');
  harvesters.wake();
  await eventually('it was asked', () => requests === 1);
  await changeState(engine, { crawl: id, owner: 'local' }, 'stopped');
  await eventually('the batch has ended', async () => (await reports('/silent')).some(({ ended }) => ended));
  const [visit] = (await reports('/silent')).flatMap((report) => report.visits);
  assert.deepEqual([visit?.outcome, visit?.reason], ['postponed', 'stopped']);
});
