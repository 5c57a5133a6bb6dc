import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Database } from '../../engine/database/database.ts';
import { openDatabase } from '../../engine/database/open.ts';
import type { Random } from '../../engine/ground/identity.ts';
import { startProgram } from '../../engine/testing/child-program.ts';
import { systemClock } from '../../engine/time/clock.ts';
import type { Statistics } from '../opened/statistics.ts';
import { answerSeries } from '../query/answer.ts';
import { reconcile } from '../rollup/reconcile.ts';
import { rollUp } from '../rollup/roll-up.ts';
import { BruteForce } from './brute-force.ts';
import { baseOfBatches, numberedBatch, sendNumbered } from './numbered-batches.ts';
import { openTestStatistics } from './open-test-statistics.ts';

/** Kills a process that ingests, rolls up and sweeps, again and again, and compares every sum after each. */
export async function surviveKills(
  test: { after(work: () => unknown): void },
  options: {
    url: string;
    file: string;
    kills: number;
    /** No further kill after this time. */
    mostMs?: number;
    random: Random;
    store?: string;
    say?: (line: string) => void;
  },
): Promise<{ kills: number; batches: number; killedIn: Record<string, number> }> {
  const { url, file, kills, mostMs = Number.POSITIVE_INFINITY, random, store = '', say } = options;
  const began = performance.now();
  process.env.NUMBERED_BATCHES_BASE = String(baseOfBatches);
  const killedIn: Record<string, number> = {};
  let batches = 0;
  let done = 0;
  for (; done < kills && performance.now() - began < mostMs; done++) {
    const program = startProgram(test, join(import.meta.dirname, 'busy-store.ts'), [
      url,
      file,
      String(batches),
      store,
    ]);
    // In the middle of whatever comes then: steps differ in length, and the line is printed before the step.
    let doing = '';
    for (let left = 1 + Math.floor(random() * 20); left > 0; left--) {
      doing = await program.line();
      const [, batch] = /^batch (\d+)$/.exec(doing) ?? [];
      if (batch !== undefined) batches = Number(batch) + 1;
    }
    await program.kill('SIGKILL');
    killedIn[doing.split(' ')[0] ?? ''] = (killedIn[doing.split(' ')[0] ?? ''] ?? 0) + 1;
    const database = await openDatabase(url, { file, clock: systemClock });
    try {
      await check(database, batches, store);
    } finally {
      await database.close();
    }
    say?.(`kill ${done + 1} of ${kills}, in ${doing}: ${batches} batches are exact`);
  }
  return { kills: done, batches, killedIn };
}

/** All batches again: those that were lost in the kill are counted now, the others not twice. */
async function check(database: Database, batches: number, store: string): Promise<void> {
  const settings = { lateDays: 3, store };
  const statistics = await openTestStatistics({ database, clock: systemClock, settings });
  await checkBatches(statistics, batches);
}

/** Sends all batches again and compares before and after a roll-up. */
export async function checkBatches(statistics: Statistics, batches: number): Promise<void> {
  const truth = new BruteForce('Europe/Prague', ['impressions', 'clicks', 'cost']);
  for (let batch = 0; batch < batches; batch++) {
    await sendNumbered(statistics, batch);
    truth.events.push(...numberedBatch(batch, baseOfBatches));
  }
  await compare(statistics, truth);
  assert.equal((await reconcile(statistics)).difference, undefined);
  await rollUp(statistics);
  await compare(statistics, truth);
}

async function compare(statistics: Statistics, truth: BruteForce): Promise<void> {
  const splits = ['fulltext', 'context'];
  const days = truth.events.map((event) => truth.dayOf(event));
  const [from, to] = [Math.min(...days) - 3, Math.max(...days) + 3];
  const date = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
  for (const user of ['1', '2'])
    for (const granularity of ['day', 'week', 'month'] as const) {
      const asked = {
        kind: 'keyword',
        user,
        from: date(from),
        to: date(to),
        filters: [],
        over: 'all' as const,
      };
      const { points } = await answerSeries(statistics, {
        ...asked,
        granularity,
        dimensions: ['impressions', 'clicks', 'cost'],
        includeTotal: false,
        limit: 5000,
      });
      const expected = truth.series({ kind: 'keyword', user, from, to, splits }, granularity, () => true);
      assert.deepEqual(
        points.map(({ splits: _, ...point }) => point),
        expected,
      );
    }
}
