import type { Contestant, Question } from './contest.ts';
import { dayRows, type Shape } from './data.ts';

const columns = 'impressions, clicks, cost, conversions';
const sums = columns
  .split(', ')
  .map((name) => `CAST(SUM(${name}) AS BIGINT) AS ${name}`)
  .join(', ');

/** What a database does to hold plain rows: the same tables and statements for all. */
export interface SqlEngine {
  name: string;
  run(sql: string): Promise<void>;
  rows(sql: string): Promise<Record<string, unknown>[]>;
  /** Adds rows of one day to `daily`: user, entity, day, split, four values. */
  insert(user: number, rows: ReturnType<typeof dayRows>): Promise<void>;
  close(): Promise<void>;
}

/** Plain rows in a database, with roll-ups by week and totals, as somebody would do it by hand. */
export async function plainRows(engine: SqlEngine, indexes: boolean): Promise<Contestant> {
  const users = new Map<string, number>();
  await engine.run(
    `CREATE TABLE daily (owner INTEGER, entity INTEGER, day INTEGER, split INTEGER, impressions INTEGER, clicks INTEGER, cost INTEGER, conversions INTEGER)`,
  );
  const keptBy = ({ user, from, to, costBelow, over }: Question) => {
    if (costBelow === undefined) return '';
    const all = `SELECT entity FROM totals WHERE owner = ${users.get(user)} AND cost < ${costBelow}`;
    const interval = `SELECT entity FROM weekly WHERE owner = ${users.get(user)} AND week BETWEEN ${from} AND ${to} GROUP BY entity HAVING SUM(cost) < ${costBelow}`;
    return ` AND entity IN (${over === 'all' ? all : interval})`;
  };
  return {
    name: engine.name,
    async load(user, shape: Shape, progress) {
      users.set(user, users.size + 1);
      for (let index = 0; index < shape.days; index++) {
        await engine.insert(users.get(user) ?? 0, dayRows(shape, index));
        progress(`user ${user}: ${index + 1} of ${shape.days} days`);
      }
    },
    async finish(progress) {
      progress('roll-up by week', 'step');
      // In the order in which it is asked for, as the days are. Monday of the week, in days since 1970; it was a Thursday.
      const monday = 'day - (day + 3) % 7';
      await engine.run(
        `CREATE TABLE weekly AS SELECT owner, entity, ${monday} AS week, split, ${sums} FROM daily
          GROUP BY owner, entity, ${monday}, split ORDER BY owner, 3, entity, split`,
      );
      progress('totals', 'step');
      await engine.run(
        `CREATE TABLE totals AS SELECT owner, entity, ${sums} FROM daily GROUP BY owner, entity`,
      );
      if (!indexes) return;
      progress('indexes', 'step');
      await engine.run('CREATE INDEX dailyDay ON daily (owner, day)');
      await engine.run('CREATE INDEX weeklyWeek ON weekly (owner, week)');
      await engine.run('CREATE INDEX totalsOwner ON totals (owner)');
      await engine.run('ANALYZE');
    },
    async series(question) {
      const { user, from, to } = question;
      const rows = await engine.rows(
        `SELECT week, split, ${sums} FROM weekly WHERE owner = ${users.get(user)} AND week BETWEEN ${from} AND ${to}${keptBy(question)} GROUP BY week, split ORDER BY week`,
      );
      return columns.split(', ').map((name) => rows.reduce((sum, row) => sum + Number(row[name] ?? 0), 0));
    },
    async table({ user, from, to }) {
      const rows = await engine.rows(
        `SELECT entity, ${sums} FROM daily WHERE owner = ${users.get(user)} AND day BETWEEN ${from} AND ${to} GROUP BY entity ORDER BY cost DESC, entity LIMIT 50`,
      );
      return rows.map((row) => Number(row.cost));
    },
    close: () => engine.close(),
  };
}
