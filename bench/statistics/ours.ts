import { openDatabase } from '../../src/engine/database/open.ts';
import { systemClock } from '../../src/engine/time/clock.ts';
import { formatDay } from '../../src/statistics/calendar/days.ts';
import { SumTable } from '../../src/statistics/columns/sum-table.ts';
import { migrations } from '../../src/statistics/database/migrations.ts';
import type { StatisticsTables } from '../../src/statistics/database/tables.ts';
import { blocksByChunk } from '../../src/statistics/ingest/cube-builder.ts';
import { openStatistics, type Statistics } from '../../src/statistics/opened/statistics.ts';
import { answerSeries, answerTable } from '../../src/statistics/query/answer.ts';
import { rollUp } from '../../src/statistics/rollup/roll-up.ts';
import { sweep } from '../../src/statistics/rollup/sweep.ts';
import { statisticsSection } from '../../src/statistics/settings/settings.ts';
import type { Contestant, Question } from './contest.ts';
import { dayRows, type Shape } from './data.ts';

const dimensions = ['impressions', 'clicks', 'cost', 'conversions'];
const daysPerBatch = 10;

/** Pismak's own store: embedded, on PostgreSQL, or with ClickHouse at `store`. */
export async function openOurs(
  url: string,
  file: string,
  store = '',
): Promise<Contestant & { statistics: Statistics; oneDimension: Contestant['table'] }> {
  const clock = systemClock;
  const lines = [{ name: 'statistics', migrations }];
  const database = await openDatabase(url, { file, clock, lines });
  const statistics = await openStatistics({
    database: database.withTables<StatisticsTables>(),
    clock,
    settings: statisticsSection.settings.parse({ cacheMb: 2000, store }),
  });
  const asked = (question: Question) => ({
    kind: 'keyword',
    user: question.user,
    dimensions,
    over: question.over,
    from: formatDay(question.from),
    to: formatDay(question.to),
    filters:
      question.costBelow === undefined
        ? []
        : [{ field: 'cost', is: '<' as const, value: question.costBelow }],
  });
  return {
    name: store
      ? 'Pismak with ClickHouse'
      : url.startsWith('sqlite')
        ? 'Pismak embedded'
        : 'Pismak on PostgreSQL',
    statistics,
    async load(user, shape, progress) {
      for (let from = 0; from < shape.days; from += daysPerBatch) {
        await acceptDays(statistics, user, shape, from);
        progress(`user ${user}: ${from + daysPerBatch} of ${shape.days} days`);
      }
    },
    async finish(progress) {
      await rollUp(statistics, { progress: ({ units, rows }) => progress(`${units} units, ${rows} rows`) });
      await sweep(statistics, { seal: true });
    },
    async series(question) {
      const input = { ...asked(question), granularity: 'week' as const, includeTotal: true, limit: 5000 };
      const { total } = await answerSeries(statistics, input);
      return dimensions.map((name) => total?.[name] ?? 0);
    },
    async table(question) {
      const input = { ...asked(question), sort: 'cost:desc', offset: 0, limit: 50 };
      const { rows } = await answerTable(statistics, input);
      return rows.map((row) => row.sums.cost ?? 0);
    },
    /** The table by clicks only. */
    async oneDimension(question) {
      const input = { ...asked(question), dimensions: ['clicks'], sort: 'clicks:desc', offset: 0, limit: 50 };
      const { rows } = await answerTable(statistics, input);
      return rows.map((row) => row.sums.clicks ?? 0);
    },
    close: () => database.close(),
  };
}

/** Ten days in one batch, as `ingest --level day` would send them, without the parsing. */
async function acceptDays({ store }: Statistics, user: string, shape: Shape, from: number): Promise<void> {
  const keys = Array.from({ length: shape.entities }, (_, entity) => String(entity));
  const days = [];
  for (let index = from; index < Math.min(from + daysPerBatch, shape.days); index++) {
    const { day, entities, splits, values } = dayRows(shape, index);
    const table = new SumTable(5);
    for (let row = 0; row < entities.length; row++) {
      const place = table.place(splits[row] as number, 255, entities[row] as number);
      for (const [dimension, column] of values.entries()) table.add(place, dimension, column[row] as number);
    }
    days.push({
      day,
      events: entities.length,
      mayBeSealed: false,
      blocks: (ordinals: readonly number[]) => blocksByChunk(table, 2, ordinals),
    });
  }
  await store.accept({
    owner: 'bench',
    token: `${user} ${from}`,
    hash: '',
    receivedAt: 0,
    events: 1,
    refused: 0,
    corrections: [],
    closed: new Set<number>(),
    cubes: [{ kind: 'keyword', user, keys, days }],
  });
}
