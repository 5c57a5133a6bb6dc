/**
 * `npm run prove -- robot`: a crawl by 8 harvesters in 4 processes whose processes are killed (`politeness`), a crawl with one command that is
 * killed 20 times (`kills`), and changed pages and robots.txt files (`fuzz`). The servers check politeness, and the log is audited.
 * `--only politeness,kills` chooses; `--hosts 80` makes the crawls, `--pages 10000 --robots 1000` the fuzzing smaller; `--minutes` limits each crawl.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { crawlInCluster } from '../robot/cluster.ts';
import { surviveRobotKills } from '../robot/kills.ts';
import { proveText } from '../robot-text/prove-text.ts';

const parts = ['politeness', 'kills', 'fuzz'];
const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string', default: parts.join(',') },
    hosts: { type: 'string', default: '400' },
    pages: { type: 'string', default: '100000' },
    robots: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '30' },
  },
});
const chosen = values.only.split(',');
const unknown = chosen.find((part) => !parts.includes(part));
if (unknown !== undefined) throw new Error(`--only ${unknown}: choose from ${parts.join(', ')}`);
const hosts = Number(values.hosts);
const deadlineMs = 60_000 * Number(values.minutes);
const say = (line: string) => console.log(line);
const directory = await mkdtemp(join(tmpdir(), 'pismak-robot-'));
const figures: Record<string, object> = {};
let isProven = true;
// The servers don't keep this process alive, not even while it waits for them to end.
const alive = setInterval(() => {}, 60_000);

interface Checked {
  missing: number;
  storedTwice: number;
  violations: string[];
  auditViolations: string[];
}

function judge(name: string, result: Checked): void {
  const { violations, auditViolations } = result;
  figures[name] = { ...result, violations: violations.length, auditViolations: auditViolations.length };
  console.table(figures[name]);
  for (const message of [...violations, ...auditViolations].slice(0, 5)) console.log(message);
  if (result.missing + result.storedTwice + violations.length + auditViolations.length > 0) isProven = false;
}

const web = { seed: 11, hosts, addresses: Math.ceil(hosts / 2), pages: 50, faults: false };
try {
  if (chosen.includes('politeness')) {
    const postgres = await startPostgres();
    try {
      const url = await postgres.createDatabase();
      const result = await crawlInCluster({
        directory: join(directory, 'politeness'),
        url,
        say,
        plan: web,
        deadlineMs,
        processes: 4,
        harvesters: 2,
        kills: 8,
        leaseSeconds: 5,
        crawl: { reqDelay: 0.05, generalPause: 0.5, maxHosts: 2, maxReqs: 20 },
      });
      judge('politeness', result);
      for (const complaint of result.complaints.slice(0, 5)) console.log(complaint);
      if (result.complaints.length > 0) isProven = false;
    } finally {
      await postgres.close();
    }
  }
  if (chosen.includes('kills')) {
    const rules = { reqDelay: 0.02, generalPause: 0.3, maxHosts: 2, maxReqs: 25 };
    const place = await mkdtemp(join(directory, 'kills-'));
    judge(
      'kills',
      await surviveRobotKills({ directory: place, plan: web, kills: 20, rules, deadlineMs, say }),
    );
  }
  if (chosen.includes('fuzz')) {
    const [pages = 0, robots = 0, seed = 0] = [values.pages, values.robots, values.seed].map(Number);
    const text = proveText({ pages, robots, seed, say });
    figures.fuzz = text;
    if (!text.isFine) isProven = false;
  }
} finally {
  clearInterval(alive);
  await rm(directory, { recursive: true, force: true });
}
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
console.log(isProven ? 'all of it is proven' : 'SOMETHING WENT WRONG');
process.exitCode = isProven ? 0 : 1;
