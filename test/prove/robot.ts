/**
 * `npm run prove -- robot`: a crawl by 8 harvesters in 4 processes whose processes are killed, and a crawl with one command that is killed 20
 * times. The servers check politeness. `--only politeness` or `--only kills` runs one of them.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { crawlInCluster } from '../robot/cluster.ts';
import { surviveRobotKills } from '../robot/kills.ts';

const { values } = parseArgs({
  options: { json: { type: 'string' }, only: { type: 'string' }, hosts: { type: 'string' } },
});
const hosts = Number(values.hosts ?? 400);
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
  console.table([figures[name]]);
  for (const message of [...violations, ...auditViolations].slice(0, 5)) console.log(message);
  if (result.missing + result.storedTwice + violations.length + auditViolations.length > 0) isProven = false;
}

const web = { seed: 11, hosts, addresses: Math.ceil(hosts / 2), pages: 50, faults: false };
if (values.only !== 'kills') {
  const postgres = await startPostgres();
  try {
    const url = await postgres.createDatabase();
    const result = await crawlInCluster({
      ...{ directory: join(directory, 'politeness'), url, say, plan: web },
      ...{ processes: 4, harvesters: 2, kills: 8, leaseSeconds: 5 },
      crawl: { reqDelay: 0.05, generalPause: 0.5, maxHosts: 2, maxReqs: 20 },
    });
    judge('politeness', result);
    if (result.complaints.length > 0) isProven = false;
  } finally {
    await postgres.close();
  }
}
if (values.only !== 'politeness') {
  const rules = { reqDelay: 0.02, generalPause: 0.3, maxHosts: 2, maxReqs: 25 };
  const place = await mkdtemp(join(directory, 'kills-'));
  judge('kills', await surviveRobotKills({ directory: place, plan: web, kills: 20, rules, say }));
}
await rm(directory, { recursive: true, force: true });
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
console.log(isProven ? 'no rule was broken, and no page is missing' : 'SOMETHING WENT WRONG');
process.exitCode = isProven ? 0 : 1;
clearInterval(alive);
