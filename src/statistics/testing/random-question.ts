import assert from 'node:assert/strict';
import { hasCode } from '../../engine/ground/errors.ts';
import { formatDay, granularities } from '../calendar/days.ts';
import type { Statistics } from '../opened/statistics.ts';
import { compileFilters } from '../query/filter.ts';
import { readGroupedSeries } from '../query/grouped-series.ts';
import { readGroupedHours, readHours } from '../query/hours.ts';
import type { Question } from '../query/select-entities.ts';
import { readSeries, type SplitSums } from '../query/series.ts';
import { readTable, type TableSources } from '../query/table.ts';
import type { BruteForce, Sums } from './brute-force.ts';

export const kindName = 'keyword';
export const splits = ['fulltext', 'context'];
const mostPoints = 100_000;
const dimensions = ['impressions', 'clicks', 'cost'];

/** The group of a keyword, or the campaign of a group; '' for those that have none. */
export function groupOf(kind: string, entity: string): string {
  const parents: Record<string, string> =
    kind === 'keyword' ? { 1: '10', 2: '10', 3: '11', 4: '11' } : { 10: '7', 11: '8' };
  return parents[entity] ?? '';
}

interface Known {
  truth: BruteForce;
  /** All entities by user. */
  entities: ReadonlyMap<string, ReadonlySet<string>>;
}

/** One question, and what the plain sums say about it. */
interface Drawn {
  question: Question;
  asked: { kind: string; user: string; from: number; to: number; splits: string[] };
  keeps(entity: string): boolean;
  draw(below: number): number;
}

/** Asks one random question in every way and compares the answers with plain sums. Resolves to the next seed. */
export async function askRandomly(statistics: Statistics, known: Known, seed: number): Promise<number> {
  let state = seed;
  const draw = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const drawn = drawQuestion(statistics, known, draw);
  await compareSeries(statistics, known, drawn);
  await compareTable(statistics, known, drawn);
  if (draw(3) === 0) await compareHours(statistics, known, drawn);
  if (draw(3) === 0) await compareGroups(statistics, known, drawn);
  return state;
}

function drawQuestion(statistics: Statistics, { truth }: Known, draw: Drawn['draw']): Drawn {
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
  const window = over === 'all' ? { from: -1e6, to: 1e6 } : range;
  const sums = truth.byEntity(kindName, user, window.from, window.to, chosen);
  return {
    question: {
      kind,
      user,
      range,
      over,
      filter,
      dimensions: [0, 1, 2],
      splits: chosen.map((name) => splits.indexOf(name)),
    },
    asked: { kind: kindName, user, ...range, splits: chosen },
    keeps(entity) {
      if (!filtered) return true;
      const { cost = 0, clicks = 0 } = sums.get(entity) ?? {};
      return cost < most && clicks > 1;
    },
    draw,
  };
}

/** The sums over the splits, by the names of the dimensions. */
function named(values: SplitSums): Sums {
  const total: Sums = { impressions: 0, clicks: 0, cost: 0 };
  for (const ofSplit of values)
    for (const [index, name] of dimensions.entries())
      total[name] = (total[name] ?? 0) + (ofSplit?.[index] ?? 0);
  return total;
}

function drawGranularity(draw: Drawn['draw']) {
  return granularities.filter((each) => each !== 'hour' && each !== 'none')[draw(5)] ?? 'day';
}

async function compareSeries({ reader, attributes }: Statistics, { truth }: Known, drawn: Drawn) {
  const { question, asked, keeps } = drawn;
  const granularity = drawGranularity(drawn.draw);
  const { points } = await reader.view(kindName, asked.user, (view) =>
    readSeries(view, { ...question, granularity }, attributes),
  );
  assert.deepEqual(
    points.map((point) => ({ ...point, sums: named(point.sums) })),
    truth.series(asked, granularity, keeps),
    `${granularity} ${formatDay(asked.from)} to ${formatDay(asked.to)}`,
  );
}

async function compareTable({ reader, attributes }: Statistics, { truth, entities }: Known, drawn: Drawn) {
  const { question, asked, keeps } = drawn;
  const sort = { by: { dimension: 2 }, descending: true };
  const table = await reader.view(kindName, asked.user, (view) =>
    readTable(
      view,
      { ...question, sort, offset: 0, limit: 100 },
      { attributes, viewOf: async () => undefined },
    ),
  );
  const inRange = truth.byEntity(kindName, asked.user, asked.from, asked.to, asked.splits);
  const rows = [...(entities.get(asked.user) ?? [])].filter(keeps);
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
}

/** The last days of the interval by hours, unless their half hours are gone. */
async function compareHours(statistics: Statistics, { truth }: Known, { question, asked, keeps }: Drawn) {
  const { reader, attributes, days, clock, keptMs } = statistics;
  // The filter looks at the whole interval, so only a short one is the same question.
  if (question.filter && question.over === 'interval' && asked.from !== asked.to) return;
  const range = { from: Math.max(asked.from, asked.to - 2), to: asked.to };
  const reading = reader.view(kindName, asked.user, (view) =>
    readHours(view, { ...question, range }, { attributes, days }),
  );
  try {
    const { points } = await reading;
    assert.deepEqual(
      points.map(({ id, sums }) => ({ id, sums: named(sums) })),
      truth.hours({ ...asked, ...range }, keeps),
    );
  } catch (error) {
    if (!hasCode(error, 'conflict')) throw error;
    assert.match(error.message, /no longer kept/);
    assert.ok(range.from < days.dayAt(clock.now() - keptMs), 'only old days are sealed');
  }
}

/** The last day by hours and groups, unless its half hours are gone. */
async function compareGroupedHours(
  { reader, days }: Statistics,
  { truth, entities }: Known,
  { question, asked, keeps }: Drawn,
  sources: TableSources,
) {
  if (question.filter && question.over === 'interval' && asked.from !== asked.to) return;
  const { user, to } = asked;
  const range = { from: to, to };
  const parentOf = (entity: string) => (user === '1' ? groupOf('keyword', entity) : '');
  const parents = new Set([...(entities.get(user) ?? [])].filter(keeps).map(parentOf));
  const reading = reader.view(kindName, user, (view) =>
    readGroupedHours(view, { ...question, range, groupBy: 'group', mostPoints }, { ...sources, days }),
  );
  const answer = await reading.catch((error: unknown) => {
    if (!hasCode(error, 'conflict')) throw error;
    return undefined;
  });
  if (!answer) return;
  assert.deepEqual(
    new Map(
      answer.groups.map(({ key, points }) => [
        key,
        points.map(({ id, sums }) => ({ id, sums: named(sums) })),
      ]),
    ),
    new Map(
      [...parents].map((parent) => [
        parent,
        truth.hours({ ...asked, ...range }, (entity) => keeps(entity) && parentOf(entity) === parent),
      ]),
    ),
    'hours by group',
  );
}

/** By group or campaign, as series and as table. */
async function compareGroups(statistics: Statistics, { truth, entities }: Known, drawn: Drawn) {
  const { reader, attributes } = statistics;
  const { question, asked, keeps, draw } = drawn;
  const { user } = asked;
  const groupBy = draw(2) === 0 ? 'group' : 'campaign';
  const granularity = drawGranularity(draw);
  // Only user 1 has groups.
  const parentOf = (entity: string) => {
    const group = user === '1' ? groupOf('keyword', entity) : '';
    return groupBy === 'group' ? group : groupOf('group', group);
  };
  const sources = {
    attributes,
    viewOf: (kind: string) => reader.view(kind, user, async (view) => view),
  };
  const { groups } = await reader.view(kindName, user, (view) =>
    readGroupedSeries(view, { ...question, granularity, groupBy, mostPoints }, sources),
  );
  const parents = new Set([...(entities.get(user) ?? [])].filter(keeps).map(parentOf));
  assert.deepEqual(
    new Map(
      groups.map(({ key, points }) => [key, points.map((point) => ({ ...point, sums: named(point.sums) }))]),
    ),
    new Map(
      [...parents].map((parent) => [
        parent,
        truth.series(asked, granularity, (entity) => keeps(entity) && parentOf(entity) === parent),
      ]),
    ),
    `by ${groupBy} and ${granularity}`,
  );
  await compareGroupedHours(statistics, { truth, entities }, drawn, sources);
  const sort = { by: { dimension: 1 }, descending: true };
  const table = await reader.view(kindName, user, (view) =>
    readTable(view, { ...question, sort, offset: 0, limit: 100, groupBy }, sources),
  );
  const inRange = truth.byEntity(kindName, user, asked.from, asked.to, asked.splits);
  const expected = new Map([...parents].map((parent) => [parent, named([])]));
  for (const [entity, sums] of inRange) {
    const ofParent = expected.get(parentOf(entity));
    if (!ofParent || !keeps(entity)) continue;
    for (const name of dimensions) ofParent[name] = (ofParent[name] ?? 0) + (sums[name] ?? 0);
  }
  assert.deepEqual(new Map(table.rows.map(({ key, sums }) => [key, named(sums)])), expected);
}
