import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CrawlExport } from '../../src/robot/commands/crawl-export.ts';
import { type CrawlDefinition, crawlDefinition, rulesOf } from '../../src/robot/crawl/options.ts';
import { robotNew, robotStart, robotStatus } from '../../src/robot/operations/crawls.ts';
import { checkRequests } from '../../src/robot/politeness/check-requests.ts';
import { readLog } from '../../src/robot/politeness/read-log.ts';
import { serveWeb } from '../../src/robot/web/serve-web.ts';
import { seedUrl, type WebPlan } from '../../src/robot/web/web-plan.ts';
import { commands, endsWithUs, RunningPismak } from '../running-pismak.ts';
import { storedDocuments } from './stored-documents.ts';

/** What servers and log saw of a crawl by several processes. */
export interface ClusterFigures {
  pages: number;
  expected: number;
  storedTwice: number;
  missing: number;
  requests: number;
  fetchedAgain: number;
  violations: string[];
  auditViolations: string[];
  complaints: string[];
  kills: number;
  lostBatches: number;
  seconds: number;
}

/**
 * Crawls a web by several processes on one PostgreSQL. Whenever a share of the pages is there, one process is killed and started
 * again, the first one in turn: sooner or later each one was the queuekeeper's.
 */
export async function crawlInCluster(options: {
  directory: string;
  /** Of a database that all processes share. */
  url: string;
  processes: number;
  harvesters: number;
  kills: number;
  plan: Omit<WebPlan, 'port'>;
  crawl: Partial<CrawlDefinition>;
  leaseSeconds: number;
  /** A crawl that takes longer has failed. */
  deadlineMs: number;
  say(line: string): void;
}): Promise<ClusterFigures> {
  const { directory, url, say } = options;
  const served = await serveWeb({ ...options.plan, port: 0 });
  const { web } = served;
  const settings = {
    database: url,
    coordination: url,
    broker: url,
    blobs: url,
    'worker.count': 0,
    'log.level': 'error',
    'robot.harvesters': options.harvesters,
    'robot.lease': options.leaseSeconds,
  };
  const began = performance.now();
  const processes = Array.from(
    { length: options.processes },
    (_, index) =>
      new RunningPismak(join(directory, `process${index}`), settings, [...endsWithUs, ...commands.up]),
  );
  try {
    // One after the other: the first one makes the tables.
    for (const process of processes) await process.start();
    const definition = {
      seeds: [seedUrl(web.plan)],
      allowPrivate: true,
      language: ['cs', 'sk', 'en'],
      pageTimeout: 5,
      resolve: Object.fromEntries(web.hosts.map(({ name, address }) => [name, [address]])),
      ...options.crawl,
    };
    let client = processes[0]?.client();
    if (!client) throw new Error('there is no process');
    const { id: crawl } = await client.call(robotNew, { name: 'cluster', ...definition });
    await client.call(robotStart, { crawl });
    const expected = web.expected();
    let kills = 0;
    let told = 0;
    for (;;) {
      await wait(200);
      const seconds = Math.round((performance.now() - began) / 1000);
      if (1000 * seconds > options.deadlineMs)
        throw new Error(`not finished after ${seconds} s: ${served.seen.length} requests so far`);
      if (seconds >= told + 10) {
        told = seconds;
        say(`${served.seen.length} requests after ${seconds} s`);
      }
      const next = processes[kills % processes.length];
      const witness = processes[(kills + 1) % processes.length];
      if (
        kills < options.kills &&
        served.seen.length > ((kills + 1) * expected.length) / (options.kills + 1)
      ) {
        kills++;
        say(`kill ${kills} after ${served.seen.length} requests`);
        await next?.kill();
        await wait(500);
        await next?.start();
        continue;
      }
      client = witness?.client() ?? client;
      const { state } = await client.call(robotStatus, { crawl });
      if (state === 'finished') break;
    }
    const output = join(directory, 'corpus');
    await (await CrawlExport.open(client, { crawl, directory: output })).run();
    const { statistics } = await client.call(robotStatus, { crawl });
    const documents = await storedDocuments(output);
    const stored = new Set(documents);
    const rules = rulesOf(crawlDefinition.parse(definition));
    const requests = await readLog([output]);
    return {
      pages: documents.length,
      expected: expected.length,
      storedTwice: documents.length - stored.size,
      missing: expected.filter((page) => !stored.has(page)).length,
      requests: served.seen.length,
      fetchedAgain: served.seen.length - new Set(served.seen.map(({ url: page }) => page)).size,
      violations: served.violations(rules).map(({ message }) => message),
      auditViolations: checkRequests(requests).map(({ message }) => message),
      complaints: served.complaints,
      kills,
      lostBatches: statistics.lostBatches,
      seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    await Promise.all(processes.map((process) => process.kill()));
    await served.close();
  }
}
