import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../engine/database/database.ts';
import { hasCode, messageOf } from '../../engine/ground/errors.ts';
import type { Random } from '../../engine/ground/identity.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { formatDay } from '../calendar/days.ts';
import type { Statistics } from '../opened/statistics.ts';
import { answerSeries } from '../query/answer.ts';
import { rollUp } from '../rollup/roll-up.ts';
import { sweep } from '../rollup/sweep.ts';
import { BruteForce } from './brute-force.ts';
import type { ClickHouseServers } from './clickhouse-server.ts';
import { baseOfBatches, numberedBatch, sendNumbered } from './numbered-batches.ts';
import { openTestStatistics } from './open-test-statistics.ts';
import { checkBatches } from './survive-kills.ts';

export interface Survived {
  kills: number;
  batches: number;
  /** Answers that were compared while servers died and came back. */
  answers: number;
  /** Of these, answers while a replica was dead. */
  answersWithoutReplica: number;
  rollUps: number;
  /** Roll-ups that had to wait for a replica. */
  postponed: number;
}

/** How long a replica stays dead, and how long its return may take. */
const deadMs = 2000;

/**
 * Kills one replica after the other while events arrive, aggregators publish and a reader asks. Every batch must be taken, and every
 * answer must be the plain sum over the batches up to one that was under way.
 */
export async function surviveReplicas(options: {
  database: Database;
  servers: ClickHouseServers;
  store: string;
  kills: number;
  /** No further kill after this time. */
  mostMs?: number;
  random: Random;
  say?: (line: string) => void;
}): Promise<Survived> {
  const { servers, kills, mostMs = Number.POSITIVE_INFINITY, random, say } = options;
  const { database, store } = options;
  const began = performance.now();
  // A reader of its own, as in another process.
  const open = () => openTestStatistics({ database, clock: systemClock, settings: { lateDays: 3, store } });
  const [writer, reader] = [await open(), await open()];
  const truth = new Truth();
  const done: Survived = {
    kills: 0,
    batches: 0,
    answers: 0,
    answersWithoutReplica: 0,
    rollUps: 0,
    postponed: 0,
  };
  let ended = false;
  let dead = false;

  const writing = untilEnd(async () => {
    truth.begin();
    await sendNumbered(writer, done.batches);
    done.batches++;
    truth.end();
    try {
      await rollUp(writer);
      await sweep(writer, { seal: done.batches % 5 === 0 });
      done.rollUps++;
    } catch (error) {
      if (!hasCode(error, 'unavailable')) throw error;
      done.postponed++;
    }
  });
  const reading = untilEnd(async () => {
    const withoutReplica = dead;
    await truth.compare(reader);
    done.answers++;
    if (withoutReplica) done.answersWithoutReplica++;
  });
  async function untilEnd(step: () => Promise<void>): Promise<void> {
    try {
      while (!ended) await step();
    } finally {
      ended = true;
    }
  }

  try {
    while (done.kills < kills && !ended && performance.now() - began < mostMs) {
      const node = servers.nodes[Math.floor(random() * servers.nodes.length)];
      assert.ok(node);
      // Somewhere in the middle of a batch, a roll-up or an answer.
      await setTimeout(random() * 500);
      dead = true;
      await node.kill();
      await setTimeout(deadMs);
      await node.start();
      dead = false;
      const before = done.rollUps;
      await eventually('roll-ups go on', () => ended || done.rollUps > before, 180_000);
      done.kills++;
      say?.(`replica ${done.kills} of ${kills} killed and back: ${JSON.stringify(done)}`);
    }
  } finally {
    ended = true;
    await Promise.all([writing, reading]);
  }
  await checkBatches(writer, done.batches);
  return done;
}

/** The plain sums after each batch. */
class Truth {
  readonly #sums = new BruteForce('Europe/Prague', ['impressions', 'clicks', 'cost']);
  /** Sums over the batches so far, by day; the last may be of one under way. */
  readonly #states: string[] = [];
  #taken = 0;

  constructor() {
    this.#states.push(this.#state());
  }

  begin(): void {
    this.#sums.events.push(...numberedBatch(this.#states.length - 1, baseOfBatches));
    this.#states.push(this.#state());
  }

  end(): void {
    this.#taken++;
  }

  async compare(statistics: Statistics): Promise<void> {
    const first = this.#taken;
    const { from, to } = this.#days();
    const { points } = await answerSeries(statistics, {
      kind: 'keyword',
      user: '1',
      from: formatDay(from),
      to: formatDay(to),
      over: 'interval',
      filters: [{ field: 'clicks', is: '>=', value: 0 }],
      granularity: 'day',
      dimensions: ['clicks', 'cost'],
      includeTotal: false,
      limit: 100,
    }).catch((error: unknown) => assert.fail(`a reader got no answer: ${messageOf(error)}`));
    const answer = JSON.stringify(points.map(({ sums }) => [sums.clicks, sums.cost]));
    const possible = this.#states.slice(first);
    assert.ok(
      possible.includes(answer),
      `${answer} is none of the sums after batch ${first} or later: ${possible.join(' ')}`,
    );
  }

  #days() {
    const day = Math.floor(baseOfBatches / 86_400_000);
    return { from: day - 4, to: day + 1 };
  }

  #state(): string {
    const { from, to } = this.#days();
    const splits = ['fulltext', 'context'];
    const points = this.#sums.series({ kind: 'keyword', user: '1', from, to, splits }, 'day', () => true);
    return JSON.stringify(points.map(({ sums }) => [sums.clicks, sums.cost]));
  }
}
