import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { openTestEngine } from '../../server/testing/test-engine.ts';
import { changeState, createCrawl, findCrawl } from '../crawl/crawls.ts';
import { crawlDefinition, rulesOf } from '../crawl/options.ts';
import { robotDatabase } from '../database/tables.ts';
import { quick } from '../testing/crawl-web.ts';
import { Harvesters } from './harvesters.ts';
import type { BatchPlan } from './plan.ts';

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

test('a batch that is claimed while harvesters are taken away is carried out by those that stay', async (t) => {
  let release = () => {};
  const server = createServer((request, response) => {
    if (request.url === '/quick') response.end('quick');
    else release = () => response.end('slow');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const engine = await openTestEngine(t);
  const database = robotDatabase(engine);
  const definition = crawlDefinition.parse({ seeds: [`${origin}/`], allowPrivate: true, ...quick });
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
        ...{ id: path, crawl, kind: 'harvest', state: 'offered', harvester: null, renewals: 0, requests: 1 },
        ...{ plan: JSON.stringify(plan), addresses: '[]', createdAt: engine.clock.now() },
      })
      .execute();
  };
  let isClaiming = false;
  const query = watched(database.query, 'updateTable', () => {
    if (isClaiming) harvesters.count = 1;
  });
  const harvesters = new Harvesters(
    {
      ...{ database: { ...database, query }, blobs: engine.blobs, clock: engine.clock, log: engine.log },
      ...{ process: 'here', leaseMs: 60_000, reported() {}, segmenter() {} },
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
  const reported = (batch: string) => async () => {
    const results = await database.query.selectFrom('robot_result').select('batch').execute();
    return results.some((result) => result.batch === batch);
  };
  await eventually('it was carried out', reported('/quick'));
  assert.ok(!(await reported('/slow')()));
  release();
  await eventually('so was the other', reported('/slow'));
});
