import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Database } from '../../engine/database/database.ts';
import type { ManualClock } from '../../engine/time/clock.ts';
import { type Day, unitOf } from '../calendar/days.ts';
import { saveEntities } from '../entities/entities.ts';
import { backfill } from '../ingest/backfill.ts';
import { ingest } from '../ingest/ingest.ts';
import type { Statistics } from '../opened/statistics.ts';
import { reconcile } from '../rollup/reconcile.ts';
import { rollUp } from '../rollup/roll-up.ts';
import { sweep } from '../rollup/sweep.ts';
import { closeMonth } from '../store/closed-months.ts';
import { levels } from '../store/store.ts';
import { BruteForce, type PlainEvent } from './brute-force.ts';
import { openTestStatistics } from './open-test-statistics.ts';
import { askRandomly, groupOf, kindName, splits } from './random-question.ts';

const timeZone = 'Europe/Prague';
const hourMs = 3_600_000;

/** Days back from now, in hours: mostly recent, sometimes months old, sometimes around a change of clocks. */
const hoursBack = fc.oneof(
  fc.integer({ min: 0, max: 60 }),
  fc.integer({ min: 0, max: 40 * 24 }),
  fc.integer({ min: 0, max: 400 * 24 }),
);
const event = fc.record({
  hoursBack,
  entity: fc.integer({ min: 1, max: 6 }),
  user: fc.constantFrom(1, 1, 1, 2),
  split: fc.constantFrom(...splits),
  impressions: fc.integer({ min: 0, max: 70_000 }),
  clicks: fc.integer({ min: 0, max: 9 }),
  cost: fc.integer({ min: -500, max: 2 ** 33 }),
});
const someLevels = fc.oneof(fc.constant([...levels]), fc.subarray([...levels]));
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('ingest'), events: fc.array(event, { maxLength: 12 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('repeat') }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('rollup', 'rebuild'), levels: someLevels }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('sweep'), seal: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait'), hours: fc.integer({ min: 1, max: 60 * 24 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('backfill'),
      events: fc.array(event, { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('close', 'close', 'open'),
      daysBack: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 400 })),
    }),
  },
);

type Drawn<From> = From extends fc.Arbitrary<infer Value> ? Value : never;
export const historySteps = fc.array(step, { minLength: 3, maxLength: 25, size: 'max' });

/** What is true by now, as far as the test knows. */
interface Played {
  truth: BruteForce;
  /** Entities exist from their first event on, even if a backfill takes that event away. By user. */
  entities: Map<string, Set<string>>;
  /** First days of closed months. */
  closed: Set<Day>;
}

interface Sent {
  token: string;
  events: PlainEvent[];
  /** Places of the events that were counted. */
  counted: Set<number>;
}

/** Plays a history and compares answers with plain sums, in the middle and at the end. */
export async function checkHistory(
  parts: { database: Database; clock: unknown; store?: string },
  steps: readonly Drawn<typeof step>[],
  seed: number,
): Promise<void> {
  // Tests give the clock that they move.
  const clock = parts.clock as ManualClock;
  clock.advance(beginning(seed) - clock.now());
  const { database, store = '' } = parts;
  const statistics = await openTestStatistics({ database, clock, settings: { store } });
  await forgetAll(statistics);
  const played: Played = {
    truth: new BruteForce(timeZone, ['impressions', 'clicks', 'cost']),
    entities: new Map([['1', await createParents(statistics)]]),
    closed: new Set(),
  };
  const { truth, entities, closed } = played;
  let last: Sent | undefined;
  let questions = seed >>> 0;
  const ask = () => askRandomly(statistics, { truth, entities }, questions);

  for (const [index, one] of steps.entries()) {
    if (one.do === 'ingest' && 'events' in one) {
      const events = one.events.map((each) => plain(each, clock.now()));
      last = { token: `batch ${index}`, events, counted: new Set() };
      await send(statistics, played, last);
    } else if (one.do === 'repeat' && last) await send(statistics, played, last);
    else if ('levels' in one) await rollUp(statistics, { levels: one.levels, all: one.do === 'rebuild' });
    else if ('seal' in one) await sweep(statistics, { seal: one.seal });
    else if (one.do === 'wait' && 'hours' in one) clock.advance(one.hours * hourMs);
    else if (one.do === 'backfill' && 'events' in one)
      await replaceDay(statistics, played, one.events, clock.now());
    else if ('daysBack' in one) {
      const month = unitOf('month', statistics.days.dayAt(clock.now()) - one.daysBack).from;
      const open = one.do === 'open';
      await closeMonth(statistics, { month, open, by: 'test' });
      if (open) closed.delete(month);
      else closed.add(month);
    }
    questions = await ask();
  }
  for (let round = 0; round < 5; round++) questions = await ask();
  const { difference } = await reconcile(statistics);
  assert.equal(difference, undefined);
}

/**
 * Some day of eleven years, with leap years and weeks 53. It depends on nothing but the seed, so that a history that fails does so
 * again when it is played alone.
 */
function beginning(seed: number): number {
  return Date.UTC(2016, 0, 1) + ((seed >>> 0) % 4000) * 24 * hourMs;
}

/** So that one database serves many histories. */
async function forgetAll({ database }: Statistics): Promise<void> {
  await database.transaction(async (transaction) => {
    for (const table of [
      'cube',
      'entity',
      'segment',
      'unit',
      'write',
      'batch',
      'closed',
      'correction',
    ] as const)
      await transaction.deleteFrom(`statistics_${table}`).execute();
  });
}

function plain(each: Drawn<typeof event>, now: number): PlainEvent {
  const { hoursBack: hours, ...fields } = each;
  return { kind: kindName, ...fields, at: new Date(now - hours * hourMs).toISOString() };
}

function note({ truth, entities }: Played, each: PlainEvent): void {
  truth.events.push(each);
  const known = entities.get(String(each.user)) ?? new Set();
  entities.set(String(each.user), known.add(String(each.entity)));
}

/** Some keywords of user 1 belong to groups, and these to campaigns. Resolves to the keywords. */
async function createParents(statistics: Statistics): Promise<Set<string>> {
  const keywords = ['1', '2', '3', '4'];
  const save = (kind: string, of: readonly string[]) =>
    saveEntities(statistics, {
      kind,
      user: '1',
      create: true,
      entities: of.map((entity) => ({ entity, parent: groupOf(kind, entity) })),
    });
  await save('keyword', keywords);
  await save('group', [...new Set(keywords.map((keyword) => groupOf('keyword', keyword)))]);
  return new Set(keywords);
}

/** Sends a batch and notes what must have been counted: what is neither sealed, nor closed, nor counted before. */
async function send(statistics: Statistics, played: Played, batch: Sent): Promise<void> {
  const { token, events } = batch;
  const { duplicate, accepted, corrections, refusals } = await ingest(statistics, {
    owner: 'test',
    token,
    level: 'event',
    mayWrite: () => true,
    content: { text: events.map((each) => JSON.stringify(each)).join('\n'), format: 'ndjson' },
  });
  if (duplicate) return;
  const refused = new Set(refusals.map((refusal) => refusal.index));
  for (const { reason } of refusals) assert.match(reason, /is sealed/);
  const isClosed = (each: PlainEvent) => played.closed.has(unitOf('month', played.truth.dayOf(each)).from);
  const taken = [...events.keys()].filter((place) => !refused.has(place));
  const counted = taken.filter((place) => !isClosed(events[place] as PlainEvent));
  assert.deepEqual([accepted, corrections], [counted.length, taken.length - counted.length]);
  for (const place of counted) {
    assert.ok(!batch.counted.has(place), 'an event of a batch sent twice counts once');
    batch.counted.add(place);
    note(played, events[place] as PlainEvent);
  }
}

async function replaceDay(
  statistics: Statistics,
  played: Played,
  drawn: readonly Drawn<typeof event>[],
  now: number,
): Promise<void> {
  const { truth, closed } = played;
  const all = drawn.map((each) => ({ ...plain(each, now), user: 1 }));
  const day = truth.dayOf(all[0] as PlainEvent);
  const events = all.filter((each) => truth.dayOf(each) === day);
  const replacing = backfill(statistics, {
    kind: statistics.schemas.get(kindName),
    user: '1',
    day,
    level: 'event',
    content: { events },
  });
  if (closed.has(unitOf('month', day).from)) {
    await assert.rejects(replacing, /is closed; open it again first/);
    return;
  }
  await replacing;
  const others = truth.events.filter((each) => String(each.user) !== '1' || truth.dayOf(each) !== day);
  truth.events.splice(0, truth.events.length, ...others);
  for (const each of events) note(played, each);
}
