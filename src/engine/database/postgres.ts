import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Clock, sleep, systemClock } from '../time/clock.ts';
import { Slots } from '../turns/slots.ts';
import type { Database } from './database.ts';
import { checkMigrations, runMigrations } from './migrate.ts';
import { isClash } from './postgres/errors.ts';
import { KyselyConnection, StreamedStatement } from './postgres/kysely-connection.ts';
import { listenTo } from './postgres/listen.ts';
import { openPostgresPool } from './postgres/pool.ts';
import { PostgresReaders } from './postgres/readers.ts';
import type { EngineTables } from './tables.ts';

const connections = 10;
/** Fewer than connections: a transaction may also read outside itself, and then must not wait for other transactions. */
const transactions = 8;
/** An arbitrary lock number that nothing else uses. */
export const migrationLock = 7_061_736_001;
const longestPauseMs = 100;
const triesMs = 30_000;

/**
 * A database on PostgreSQL. Transactions are serialisable, as on SQLite, where only one writes at a time. A transaction
 * that clashes with another runs again, so its side effects must be repeatable.
 */
export async function openPostgresDatabase(options: {
  url: string;
  clock?: Clock;
  random?: () => number;
}): Promise<Database> {
  const { url, clock = systemClock, random = Math.random } = options;
  const pool = await openPostgresPool({ url, max: connections, clock });
  const readers = new PostgresReaders({ url, clock, cancelling: pool });
  const slots = new Slots(transactions, { what: `${transactions} turns of transactions`, clock });
  const query = new Kysely<EngineTables>({
    dialect: new PostgresDialect({
      pool: {
        connect: async () => new KyselyConnection(await pool.connect()),
        end: () => pool.close(),
        options: {},
      },
      cursor: StreamedStatement,
    }),
  });

  const database: Database = {
    dialect: 'postgres',
    query,
    async transaction(work) {
      const giveBack = await slots.take();
      const end = clock.now() + triesMs;
      try {
        for (let attempt = 0; ; attempt++) {
          try {
            return await query.transaction().setIsolationLevel('serializable').execute(work);
          } catch (error) {
            if (!isClash(error) || clock.now() > end) throw error;
            await sleep(clock, random() * Math.min(2 ** attempt, longestPauseMs));
          }
        }
      } finally {
        giveBack();
      }
    },
    read: (limits, work) => readers.read(limits, work),
    checkMigrated: (line) => checkMigrations(database, line),
    migrate: (line) =>
      // One migration at a time in the cluster. The lock ends with its connection, even if this process dies.
      query.connection().execute(async (connection) => {
        await sql`SELECT pg_advisory_lock(${sql.lit(migrationLock)})`.execute(connection);
        try {
          await runMigrations(database, line, () => clock.now());
        } finally {
          await sql`SELECT pg_advisory_unlock(${sql.lit(migrationLock)})`.execute(connection);
        }
      }),
    // Tables are only types: at run time this is the same object.
    withTables: <Tables>() => database as Database<Tables>,
    listen: (channel, heard) => listenTo(url, { channel, clock, heard }),
    async close() {
      await readers.close();
      await pool.close();
    },
  };
  return database;
}
