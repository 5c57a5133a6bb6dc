import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { checkRequests } from '../../src/robot/politeness/check-requests.ts';
import { readLog } from '../../src/robot/politeness/read-log.ts';
import { serveWeb } from '../../src/robot/web/serve-web.ts';
import { resolveLines, seedUrl, type WebPlan } from '../../src/robot/web/web-plan.ts';
import { storedDocuments } from './stored-documents.ts';

const program = join(import.meta.dirname, '..', '..', 'bin', 'pismak');

/** What became of a crawl that was killed again and again. */
export interface KillFigures {
  pages: number;
  expected: number;
  missing: number;
  storedTwice: number;
  requests: number;
  /** Pages that were asked for more than once: what was in flight at a kill. */
  fetchedAgain: number;
  violations: string[];
  auditViolations: string[];
  kills: number;
  seconds: number;
}

/** Runs `pismak robot crawl` and kills it whenever another share of the pages was asked for; the last run ends by itself. */
export async function surviveRobotKills(options: {
  directory: string;
  plan: Omit<WebPlan, 'port'>;
  kills: number;
  rules: { reqDelay: number; generalPause: number; maxHosts: number; maxReqs: number };
  /** A crawl that takes longer, all its runs together, has failed. */
  deadlineMs: number;
  say(line: string): void;
}): Promise<KillFigures> {
  const { directory, plan, kills, rules, deadlineMs, say } = options;
  const served = await serveWeb({ ...plan, port: 0 });
  const output = join(directory, 'corpus');
  const hosts = join(directory, 'hosts');
  await writeFile(hosts, resolveLines(served.web.plan));
  const words = [
    'robot',
    'crawl',
    seedUrl(served.web.plan),
    '--allow-private',
    '--resolve',
    hosts,
    '-o',
    output,
    '--language',
    'cs,sk,en',
    '--req-delay',
    String(rules.reqDelay),
    '--max-hosts',
    String(rules.maxHosts),
    '--max-reqs',
    String(rules.maxReqs),
    '--general-pause',
    String(rules.generalPause),
  ];
  const began = performance.now();
  try {
    const expected = served.web.expected();
    for (let kill = 1; ; kill++) {
      const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
      const closed = once(child, 'close');
      const timer = setTimeout(() => child.kill('SIGKILL'), began + deadlineMs - performance.now());
      const enough = kill > kills ? Number.POSITIVE_INFINITY : (kill * expected.length) / (kills + 1);
      while (served.seen.length < enough && child.exitCode === null && child.signalCode === null)
        await wait(10);
      clearTimeout(timer);
      const seconds = Math.round((performance.now() - began) / 1000);
      if (1000 * seconds >= deadlineMs)
        throw new Error(`not finished after ${seconds} s: ${served.seen.length} requests so far`);
      if (kill > kills) {
        const [code] = await closed;
        if (code !== 0) throw new Error(`the crawl ended with ${code}`);
        break;
      }
      child.kill('SIGKILL');
      await closed;
      const again = fetchedAgain(served.seen);
      say(
        `kill ${kill} after ${served.seen.length} requests and ${seconds} s; ${again} pages fetched again so far`,
      );
    }
    const documents = await storedDocuments(output);
    const stored = new Set(documents);
    const inMs = { ...rules, reqDelayMs: 1000 * rules.reqDelay, generalPauseMs: 1000 * rules.generalPause };
    return {
      pages: documents.length,
      expected: expected.length,
      missing: expected.filter((url) => !stored.has(url)).length,
      storedTwice: documents.length - stored.size,
      requests: served.seen.length,
      fetchedAgain: fetchedAgain(served.seen),
      violations: served.violations(inMs).map(({ message }) => message),
      auditViolations: checkRequests(await readLog([output])).map(({ message }) => message),
      kills,
      seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    await served.close();
  }
}

function fetchedAgain(seen: readonly { url: string }[]): number {
  const pages = seen.filter(({ url }) => url.endsWith('/') || url.endsWith('.html'));
  return pages.length - new Set(pages.map(({ url }) => url)).size;
}
