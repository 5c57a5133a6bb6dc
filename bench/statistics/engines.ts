import { DatabaseSync } from 'node:sqlite';
import { DuckDBInstance } from '@duckdb/node-api';
import pg from 'pg';
import type { SqlEngine } from './sql.ts';

export async function duckdb(file: string): Promise<SqlEngine> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  return {
    name: 'DuckDB',
    run: async (sql) => void (await connection.run(sql)),
    rows: async (sql) => (await connection.runAndReadAll(sql)).getRowObjects(),
    async insert(owner, { day, entities, splits, values }) {
      const appender = await connection.createAppender('daily');
      for (let row = 0; row < entities.length; row++) {
        for (const value of [owner, entities[row], day, splits[row]]) appender.appendInteger(value ?? 0);
        for (const column of values) appender.appendInteger(column[row] ?? 0);
        appender.endRow();
      }
      appender.closeSync();
    },
    async close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

export async function sqlite(file: string): Promise<SqlEngine> {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -1000000');
  return {
    name: 'SQLite rows',
    run: async (sql) => database.exec(sql),
    rows: async (sql) => database.prepare(sql).all() as Record<string, unknown>[],
    async insert(owner, { day, entities, splits, values }) {
      const statement = database.prepare('INSERT INTO daily VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
      database.exec('BEGIN');
      for (let row = 0; row < entities.length; row++) {
        const sums = values.map((column) => column[row] ?? 0);
        statement.run(owner, entities[row] ?? 0, day, splits[row] ?? 0, ...sums);
      }
      database.exec('COMMIT');
    },
    async close() {
      database.close();
    },
  };
}

export async function postgres(url: string): Promise<SqlEngine> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    name: 'PostgreSQL 15 rows',
    run: async (sql) => void (await client.query(sql)),
    rows: async (sql) => (await client.query(sql)).rows,
    async insert(owner, { day, entities, splits, values }) {
      const lists = [entities, splits, ...values].map((column) => Array.from(column));
      await client.query(
        `INSERT INTO daily SELECT ${owner}, entity, ${day}, split, a, b, c, d
          FROM unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::int[], $6::int[]) AS rows (entity, split, a, b, c, d)`,
        lists,
      );
    },
    async close() {
      await client.end();
    },
  };
}
