import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Database } from '../../engine/database/database.ts';
import type { ManualClock } from '../../engine/time/clock.ts';
import { formatDay, granularities } from '../calendar/days.ts';
import { backfill } from '../ingest/backfill.ts';
import { ingest } from '../ingest/ingest.ts';
import { compileFilters } from '../query/filter.ts';
import { readSeries } from '../query/series.ts';
import { readTable } from '../query/table.ts';
import { reconcile } from '../rollup/reconcile.ts';
import { rollUp } from '../rollup/roll-up.ts';
import { sweep } from '../rollup/sweep.ts';
import type { Statistics } from '../statistics.ts';
import { levels } from '../store/store.ts';
import { BruteForce, type PlainEvent, type Sums } from './brute-force.ts';
import { openTestStatistics } from './open-test-statistics.ts';

const timeZone = 'Europe/Prague';
const kindName = 'keyword';
const splits = ['fulltext', 'context'];
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
);

type Drawn<From> = From extends fc.Arbitrary<infer Value> ? Value : never;
export const historySteps = fc.array(step, { minLength: 3, maxLength: 25, size: 'max' });

/** Plays a history and compares answers with plain sums, in the middle and at the end. */
export async function checkHistory(
  parts: { database: Database; clock: unknown },
  steps: readonly Drawn<typeof step>[],
  seed: number,
): Promise<void> {
  // Tests give the clock that they move.
  const clock = parts.clock as ManualClock;
  const statistics = await openTestStatistics({ database: parts.database, clock });
  await forgetAll(statistics);
  const truth = new BruteForce(timeZone, ['impressions', 'clicks', 'cost']);
  let last: { token: string; events: PlainEvent[] } | undefined;
  let questions = seed >>> 0;
  /** Entities exist from their first event on, even if a backfill takes that event away. */
  const entities = new Map<string, Set<string>>();

  for (const [index, one] of steps.entries()) {
    if (one.do === 'ingest' && 'events' in one) {
      const events = one.events.map((each) => plain(each, clock.now()));
      last = { token: `batch ${index}`, events };
      const { accepted, refusals } = await send(statistics, last);
      const refused = new Set(refusals.map((refusal) => refusal.index));
      assert.equal(accepted, events.length - refused.size);
      for (const { reason } of refusals) assert.match(reason, /is sealed/);
      for (const [place, each] of events.entries()) if (!refused.has(place)) note(truth, entities, each);
    } else if (one.do === 'repeat' && last) {
      const { duplicate, accepted } = await send(statistics, last);
      assert.ok(duplicate || accepted === 0, 'a batch sent twice counts once');
    } else if ('levels' in one) {
      await rollUp(statistics, { levels: one.levels, all: one.do === 'rebuild' });
    } else if ('seal' in one) await sweep(statistics, { seal: one.seal });
    else if (one.do === 'wait' && 'hours' in one) clock.advance(one.hours * hourMs);
    else if (one.do === 'backfill' && 'events' in one)
      await replaceDay(statistics, truth, entities, one.events, clock.now());
    questions = await ask(statistics, truth, entities, questions);
  }
  for (let round = 0; round < 5; round++) questions = await ask(statistics, truth, entities, questions);
  const { difference } = await reconcile(statistics);
  assert.equal(difference, undefined);
}

/** So that one database serves many histories. */
async function forgetAll({ database }: Statistics): Promise<void> {
  await database.transaction(async (transaction) => {
    for (const table of ['cube', 'entity', 'segment', 'unit', 'batch'] as const)
      await transaction.deleteFrom(`statistics_${table}`).execute();
  });
}

function plain(each: Drawn<typeof event>, now: number): PlainEvent {
  const { hoursBack: hours, ...fields } = each;
  return { kind: kindName, ...fields, at: new Date(now - hours * hourMs).toISOString() };
}

function note(truth: BruteForce, entities: Map<string, Set<string>>, each: PlainEvent): void {
  truth.events.push(each);
  const known = entities.get(String(each.user)) ?? new Set();
  entities.set(String(each.user), known.add(String(each.entity)));
}

function send(statistics: Statistics, { token, events }: { token: string; events: PlainEvent[] }) {
  return ingest(statistics, {
    ...{ owner: 'test', token, level: 'event', mayWrite: () => true },
    content: { text: events.map((each) => JSON.stringify(each)).join('\n'), format: 'ndjson' },
  });
}

async function replaceDay(
  statistics: Statistics,
  truth: BruteForce,
  entities: Map<string, Set<string>>,
  drawn: readonly Drawn<typeof event>[],
  now: number,
): Promise<void> {
  const all = drawn.map((each) => ({ ...plain(each, now), user: 1 }));
  const day = truth.dayOf(all[0] as PlainEvent);
  const events = all.filter((each) => truth.dayOf(each) === day);
  await backfill(statistics, {
    ...{ kind: statistics.schemas.get(kindName), user: '1', day, level: 'event', content: { events } },
  });
  const others = truth.events.filter((each) => String(each.user) !== '1' || truth.dayOf(each) !== day);
  truth.events.splice(0, truth.events.length, ...others);
  for (const each of events) note(truth, entities, each);
}

/** One random question as a series and as a table. */
async function ask(
  statistics: Statistics,
  truth: BruteForce,
  entities: Map<string, Set<string>>,
  seed: number,
): Promise<number> {
  let state = seed;
  const draw = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const kind = statistics.schemas.get(kindName);
  const today = statistics.days.dayAt(statistics.clock.now());
  const user = draw(5) === 0 ? '2' : '1';
  const to = today - draw(3) * draw(200);
  const range = { from: to - draw(2) * draw(600), to };
  const chosen = [splits, ['context'], ['fulltext']][draw(3)] ?? splits;
  const over: 'interval' | 'all' = draw(2) === 0 ? 'interval' : 'all';
  const most = 2 ** draw(40);
  const filtered = draw(3) > 0;
  const filter = filtered
    ? compileFilters(
        [
          { field: 'cost', is: '<', value: most },
          { field: 'clicks', is: '>', value: 1 },
        ],
        kind,
      )
    : undefined;
  const question = {
    ...{ kind, user, range, over, filter },
    splits: chosen.map((name) => splits.indexOf(name)),
    dimensions: [0, 1, 2],
  };
  const window = over === 'all' ? { from: -1e6, to: 1e6 } : range;
  const sums = truth.byEntity(kindName, user, window.from, window.to, chosen);
  const keeps = (entity: string) => {
    if (!filtered) return true;
    const { cost = 0, clicks = 0 } = sums.get(entity) ?? {};
    return cost < most && clicks > 1;
  };
  const named = (values: readonly (readonly number[] | undefined)[]): Sums => {
    const total: Sums = { impressions: 0, clicks: 0, cost: 0 };
    for (const ofSplit of values)
      for (const [index, name] of ['impressions', 'clicks', 'cost'].entries())
        total[name] = (total[name] ?? 0) + (ofSplit?.[index] ?? 0);
    return total;
  };

  const { reader, attributes } = statistics;
  const granularity = granularities.filter((each) => each !== 'hour' && each !== 'none')[draw(5)] ?? 'day';
  const series = await reader.view(kindName, user, (view) =>
    readSeries(view, { ...question, granularity }, attributes),
  );
  const got = series.points.map((point) => ({ ...point, sums: named(point.sums) }));
  const expected = truth.series({ kind: kindName, user, ...range, splits: chosen }, granularity, keeps);
  assert.deepEqual(got, expected, `${granularity} ${formatDay(range.from)} to ${formatDay(range.to)}`);

  const table = await reader.view(kindName, user, (view) =>
    readTable(
      view,
      { ...question, sort: { by: { dimension: 2 }, descending: true }, offset: 0, limit: 100 },
      { attributes, viewOf: async () => undefined },
    ),
  );
  const inRange = truth.byEntity(kindName, user, range.from, range.to, chosen);
  const rows = [...(entities.get(user) ?? [])].filter(keeps);
  assert.equal(table.count, rows.length);
  for (const row of table.rows)
    assert.deepEqual(named(row.sums), inRange.get(row.key) ?? named([]), `entity ${row.key}`);
  const costs = table.rows.map((row) => named(row.sums).cost ?? 0);
  assert.deepEqual(
    costs,
    costs.toSorted((one, other) => other - one),
  );
  const total = named([]);
  for (const entity of rows)
    for (const name of Object.keys(total))
      total[name] = (total[name] ?? 0) + (inRange.get(entity)?.[name] ?? 0);
  assert.deepEqual(named(table.totals), total);
  return state;
}
