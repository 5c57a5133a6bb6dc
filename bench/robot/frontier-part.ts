import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/engine/database/open.ts';
import { systemClock } from '../../src/engine/time/clock.ts';
import { crawls } from '../../src/robot/database/0001-crawls.ts';
import type { RobotTables } from '../../src/robot/database/tables.ts';
import { Domains } from '../../src/robot/keeper/domains.ts';
import { openFrontier } from '../../src/robot/keeper/frontier.ts';
import type { Target } from '../transcription/report.ts';

const perTransaction = 5_000;
const domainCount = 5_000;
/** Reports of a few batches are merged at once: so many domains do they touch. */
const domainsPerReport = 100;

interface Row {
  queued: number;
  'inserts/s': number;
  'cpu µs an insert': number;
  'next batch ms': number;
  'rss MB': number;
  'file MB': number;
}

/** Fills the frontier of the embedded Database, and measures inserts and batches while it grows. */
export async function measureFrontier(urls: number): Promise<{ rows: Row[]; reached: Target[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'pismak-frontier-'));
  const file = join(directory, 'state.db');
  const lines = [{ name: 'robot', migrations: [crawls] }];
  const opened = await openDatabase('sqlite:', { file, clock: systemClock, lines });
  const database = opened.withTables<RobotTables>();
  const rows: Row[] = [];
  try {
    const frontier = openFrontier(database.dialect);
    const domains = new Domains(1, database.dialect);
    const ids = Array.from(
      { length: domainCount },
      (_, index) => domains.findOrCreate(`http://www.web${index}.cz`, `www.web${index}.cz`).id,
    );
    await database.transaction((transaction) => domains.save(transaction));
    const step = urls / 5;
    let spentMs = 0;
    let spentCpu = 0;
    for (let done = 0; done < urls; done += perTransaction) {
      const requests = Array.from({ length: perTransaction }, (_, index) => ({
        domain:
          ids[
            (domainsPerReport * Math.floor(done / perTransaction) + (index % domainsPerReport)) % domainCount
          ] ?? 0,
        kind: 'page',
        depth: 1 + (index % 5),
        parent: 1,
        hops: 0,
        via: null,
        path: `/clanky/${(done + index).toString(36)}/jak-se-psaly-kroniky-${done + index}.html`,
      }));
      const began = performance.now();
      const cpu = process.cpuUsage();
      await database.transaction(async (transaction) =>
        domains.addQueued((await frontier.add(transaction, requests)).added),
      );
      spentMs += performance.now() - began;
      // Processor time of all threads: other work on the machine changes it less.
      const { user, system } = process.cpuUsage(cpu);
      spentCpu += user + system;
      if ((done + perTransaction) % step !== 0) continue;
      const queued = done + perTransaction;
      rows.push({
        queued,
        'inserts/s': Math.round((1000 * step) / spentMs),
        'cpu µs an insert': Number((spentCpu / step).toFixed(1)),
        'next batch ms': Number((await batchMs()).toFixed(1)),
        'rss MB': Math.round(process.memoryUsage.rss() / 1e6),
        'file MB': Math.round((await stat(file)).size / 1e6),
      });
      console.log(JSON.stringify(rows.at(-1)));
      spentMs = 0;
      spentCpu = 0;
    }
    return { rows, reached: targetsOf(rows) };

    /** Mean of taking 1000 requests of 50 domains, and giving them back. */
    async function batchMs(): Promise<number> {
      const rounds = 10;
      let ms = 0;
      for (let round = 0; round < rounds; round++) {
        const began = performance.now();
        await database.transaction(async (transaction) => {
          for (let index = 0; index < 50; index++) {
            const next = await frontier.next(transaction, ids[(97 * round + index) % domainCount] ?? 0, 20);
            await frontier.hold(transaction, 'batch', next);
          }
        });
        ms += performance.now() - began;
        await database.transaction((transaction) => frontier.release(transaction, 'batch'));
      }
      return ms / rounds;
    }
  } finally {
    await database.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** From the first fifth to the last. Inserts are compared by processor time, which other work on the machine changes less. */
function targetsOf(rows: readonly Row[]): Target[] {
  const growth = (name: 'cpu µs an insert' | 'next batch ms') =>
    (rows.at(-1)?.[name] ?? 0) / Math.max(0.001, rows[0]?.[name] ?? 0);
  const flat = (name: string, times: number) => ({
    name,
    wanted: 'at most 2 times',
    measured: `${times.toFixed(2)} times`,
    reached: times <= 2,
  });
  const megabytes = Math.max(...rows.map((row) => row['rss MB']));
  return [
    flat('an insert into the full frontier against the first ones', growth('cpu µs an insert')),
    flat('the next batch of the full frontier against the first ones', growth('next batch ms')),
    {
      name: 'memory of the frontier',
      wanted: 'under 1000 MB',
      measured: `${megabytes} MB`,
      reached: megabytes < 1000,
    },
  ];
}
