/**
 * `npm run prove -- statistics [--only sqlite,postgres,clickhouse,replicas,chdb] [--histories 1000] [--kills 60] [--minutes 4]`: on each store
 * random histories with late events, repeated batches, re-runs, sealed days and backfills, and a process that is killed while it ingests,
 * rolls up and sweeps. `clickhouse` and `replicas` are two shards of two replicas each, with ZooKeeper and PostgreSQL; `replicas` kills
 * one ClickHouse after the other while events arrive, aggregators publish and a reader asks. `chdb` is a current ClickHouse of two shards,
 * which runs the contract of the adapter first. Every answer must equal the plain sum over all events. Each list of histories and of kills ends after `--minutes`, and the figures say how many there were.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { openDatabase } from '../../src/engine/database/open.ts';
import { seededRandom } from '../../src/engine/simulation/chance.ts';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { startZookeeper } from '../../src/engine/testing/servers/zookeeper.ts';
import { ManualClock, systemClock } from '../../src/engine/time/clock.ts';
import { type ClickHouseServers, startClickHouse } from '../../src/statistics/testing/clickhouse-server.ts';
import { checkHistory, historySteps } from '../../src/statistics/testing/random-history.ts';
import { surviveKills } from '../../src/statistics/testing/survive-kills.ts';
import { surviveReplicas } from '../../src/statistics/testing/survive-replicas.ts';
import { startChdb } from '../statistics/chdb/servers.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string', default: 'sqlite,postgres,clickhouse,replicas,chdb' },
    histories: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '60' },
    minutes: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed);
const only = new Set(values.only.split(','));
const mostMs = Number(values.minutes) * 60_000;
const sayEveryMs = 10_000;
const began = performance.now();
const directory = await mkdtemp(join(tmpdir(), 'pismak-statistics-'));
const figures: Record<string, unknown>[] = [];
const closing: (() => unknown)[] = [];
const scope = { after: (work: () => unknown) => void closing.push(work) };
// Servers don't keep this process alive, but it must see them end.
const awake = setInterval(() => {}, 1000);
try {
  const needsServers = ['postgres', 'clickhouse', 'replicas'].some((name) => only.has(name));
  const postgres = needsServers ? await startPostgres() : undefined;
  if (postgres) closing.unshift(() => postgres.close());
  const newDatabase = async () => (await postgres?.createDatabase()) ?? 'sqlite:';
  if (only.has('sqlite'))
    await prove(
      'sqlite',
      async () => 'sqlite:',
      () => '',
    );
  if (only.has('postgres')) await prove('postgres', newDatabase, () => '');
  if (only.has('clickhouse') || only.has('replicas')) {
    const servers = await startReplicated();
    const [one, two, three, four] = servers.nodes;
    if (!one || !two || !three || !four) throw new Error('there must be four servers');
    const urlOf = () =>
      servers.urlOf([
        [one, two],
        [three, four],
      ]);
    if (only.has('clickhouse')) await prove('clickhouse', newDatabase, urlOf);
    if (only.has('replicas')) await proveReplicas(servers, await newDatabase(), urlOf());
  }
  if (only.has('chdb')) {
    await runContract();
    const servers = await startChdb(2);
    closing.unshift(() => servers.close());
    await prove(
      'chdb',
      async () => 'sqlite:',
      () => servers.urlOf(),
    );
  }
  console.log('every answer equals the plain sum over all events');
} finally {
  for (const close of closing) await close();
  clearInterval(awake);
  await rm(directory, { recursive: true, force: true });
}
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);

async function startReplicated(): Promise<ClickHouseServers> {
  const zookeeper = await startZookeeper();
  closing.unshift(() => zookeeper.close());
  const addresses = zookeeper.servers.map(({ address }) => address);
  const servers = await startClickHouse({ nodes: 4, zookeeper: addresses });
  closing.unshift(() => servers.close());
  return servers;
}

async function runContract(): Promise<void> {
  say('chdb: the contract of the adapter');
  const program = join(import.meta.dirname, '../statistics/chdb/contract.ts');
  const [code] = await once(spawn(process.execPath, ['--test', program], { stdio: 'inherit' }), 'exit');
  if (code !== 0) throw new Error('chdb does not keep the contract; the reason stands above');
}

async function prove(name: string, newUrl: () => Promise<string>, newStore: () => string): Promise<void> {
  const started = performance.now();
  const histories = await playHistories(name, await newUrl(), newStore());
  const file = join(directory, `${name}-kills.db`);
  const survived = await surviveKills(scope, {
    url: await newUrl(),
    file,
    store: newStore(),
    kills: Number(values.kills),
    mostMs,
    random: seededRandom(seed),
    say: (line: string) => say(`${name}: ${line}`),
  });
  tell({ store: name, histories, ...survived, seconds: secondsSince(started) });
}

/** As many as fit into the time, at most those that were asked for. Resolves to their number. */
async function playHistories(name: string, url: string, store: string): Promise<number> {
  const clock = new ManualClock(Date.UTC(2020, 11, 20));
  const database = await openDatabase(url, { file: join(directory, `${name}-histories.db`), clock });
  let played = 0;
  let said = performance.now();
  const histories = fc.asyncProperty(historySteps, fc.integer(), async (steps, number) => {
    await checkHistory({ database, clock, store }, steps, number);
    played++;
    if (performance.now() - said < sayEveryMs) return;
    said = performance.now();
    say(`${name}: ${played} of ${values.histories} histories are exact`);
  });
  await fc.assert(histories, {
    numRuns: Number(values.histories),
    seed,
    interruptAfterTimeLimit: mostMs,
  });
  await database.close();
  return played;
}

async function proveReplicas(servers: ClickHouseServers, url: string, store: string): Promise<void> {
  const started = performance.now();
  const database = await openDatabase(url, { file: join(directory, 'replicas.db'), clock: systemClock });
  try {
    const survived = await surviveReplicas({
      database,
      servers,
      store,
      kills: Number(values.kills),
      mostMs,
      random: seededRandom(seed),
      say: (line) => say(`replicas: ${line}`),
    });
    tell({ store: 'replicas', ...survived, seconds: secondsSince(started) });
  } finally {
    await database.close();
  }
}

function tell(figure: Record<string, unknown>): void {
  console.log(JSON.stringify(figure));
  figures.push(figure);
}

function say(line: string): void {
  console.log(`${secondsSince(began)} s  ${line}`);
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1000);
}
