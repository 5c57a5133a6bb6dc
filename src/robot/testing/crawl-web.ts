import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readBlob } from '../../engine/blobs/blobs.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { openTestEngine } from '../../server/testing/test-engine.ts';
import { changeState, createCrawl, findCrawl } from '../crawl/crawls.ts';
import { type CrawlDefinition, crawlDefinition, rulesOf } from '../crawl/options.ts';
import type { CrawlStatistics } from '../crawl/statistics.ts';
import { robotDatabase } from '../database/tables.ts';
import { runRobot } from '../run-robot.ts';
import type { PartName } from '../segments/segment-buffer.ts';
import { type ServedWeb, serveWeb } from '../web/serve-web.ts';
import { seedUrl, type WebPlan } from '../web/web-plan.ts';

/** Serves a small web for a test. */
export async function serveTestWeb(
  t: Pick<TestContext, 'after'>,
  plan: Partial<WebPlan> = {},
): Promise<ServedWeb> {
  const whole = { seed: 7, hosts: 16, addresses: 5, pages: 8, faults: false, port: 0, ...plan };
  const served = await serveWeb(whole);
  t.after(() => served.close());
  return served;
}

/** What a server of a test answers: its type, its text, and more headers if they matter. */
export type TestPage = readonly [type: string, body: string, headers?: Record<string, string>];

/** Serves a few pages; resolves to where. */
export async function servePages(
  t: Pick<TestContext, 'after'>,
  pageAt: (path: string, request: IncomingMessage) => TestPage | undefined,
): Promise<string> {
  const server = createServer((request, response) => {
    const [type, body, headers] = pageAt(request.url ?? '', request) ?? [];
    if (type === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': type, ...headers }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An engine whose robot is running, with one thread unless the settings say otherwise: starting one takes a second. */
export async function runTestRobot(
  t: Pick<TestContext, 'after'>,
  settings: Record<string, unknown> = {},
): Promise<Engine> {
  const engine = await openTestEngine(t, { settings: { robot: { harvesters: 1 }, ...settings } });
  const running = await runRobot(engine);
  t.after(() => running.close());
  return engine;
}

/** Quick rules, for servers of one's own. */
export const quick = {
  reqDelay: 0.02,
  generalPause: 0.1,
  maxHosts: 2,
  maxReqs: 5,
  retryDelay: 0.2,
  blockFor: 0.2,
};

export function definitionFor(served: ServedWeb, options: Partial<CrawlDefinition> = {}): CrawlDefinition {
  const { plan, hosts } = served.web;
  return crawlDefinition.parse({
    seeds: [seedUrl(plan)],
    allowPrivate: true,
    language: ['cs', 'sk', 'en'],
    ...quick,
    resolve: Object.fromEntries(hosts.map(({ name, address }) => [name, [address]])),
    ...options,
  });
}

/** Crawls to the end. */
export async function crawl(engine: Engine, definition: CrawlDefinition, name = 'test') {
  const { id } = await createCrawl(engine, { name, owner: 'local', limit: 0 }, definition);
  await changeState(engine, { crawl: id, owner: 'local' }, 'running');
  return finished(engine, id);
}

export async function finished(engine: Engine, id: string, deadlineMs = 60_000) {
  const row = await eventually(
    'the crawl is finished',
    async () => {
      const found = await findCrawl(robotDatabase(engine).query, id, 'local');
      return found.state === 'finished' && found;
    },
    deadlineMs,
  );
  const statistics = JSON.parse(row.statistics) as CrawlStatistics;
  const rules = rulesOf(JSON.parse(row.options) as CrawlDefinition);
  return { id, number: Number(row.number), statistics, rules };
}

/** Lines of one part of everything that a crawl has stored. */
export async function storedLines(engine: Engine, crawl: number, part: PartName): Promise<string[]> {
  const segments = await robotDatabase(engine)
    .query.selectFrom('robot_segment')
    .selectAll()
    .where('crawl', '=', crawl)
    .orderBy('id')
    .execute();
  const lines: string[] = [];
  for (const { blob, parts } of segments) {
    const content = Buffer.from(await readBlob(engine.blobs, blob));
    let from = 0;
    for (const { name, length } of JSON.parse(parts) as { name: string; length: number }[]) {
      if (name === part)
        lines.push(
          ...gunzipSync(content.subarray(from, from + length))
            .toString()
            .split('\n'),
        );
      from += length;
    }
  }
  return lines.filter((line) => line !== '');
}
