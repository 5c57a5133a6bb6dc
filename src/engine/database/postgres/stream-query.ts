import type pg from 'pg';
import { type PostgresAddress, readAddress } from './address.ts';
import { clientOptions, clientThatEnds, loadPg, type PgModule } from './driver.ts';
import { postgresError } from './errors.ts';

/** bytea, int8, date, time, timestamp, timestamptz, interval, timetz, numeric */
const [int8, ...asTheyAre] = [20, 17, 1082, 1083, 1114, 1184, 1186, 1266, 1700];

/**
 * Streams a query of any PostgreSQL database, even of another program: a fixed number of rows at a time, by a
 * cursor in a read-only transaction. A standby works too. Dates and decimal numbers arrive as the server writes them.
 */
export async function* streamPostgres(
  url: string,
  sql: string,
  rowsAtOnce = 1000,
): AsyncGenerator<Record<string, unknown>> {
  const client = await connectToAny(await loadPg(), await readAddress(url));
  try {
    await client.query('BEGIN READ ONLY');
    // In this mode, which the driver's types don't list, the server refuses a second statement.
    const declaration = { text: `DECLARE streamed NO SCROLL CURSOR FOR ${sql}`, queryMode: 'extended' };
    await client.query(declaration);
    for (;;) {
      const { rows } = await client.query<Record<string, unknown>>(`FETCH ${rowsAtOnce} FROM streamed`);
      yield* rows;
      if (rows.length < rowsAtOnce) return;
    }
  } catch (error) {
    throw postgresError(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The first server of the URL that answers. */
async function connectToAny(pgModule: PgModule, address: PostgresAddress): Promise<pg.Client> {
  let reason: unknown;
  for (const host of address.hosts) {
    const options = clientOptions(pgModule, address, host);
    const types = { getTypeParser: (oid: number) => parserOf(pgModule, oid) };
    const client = new (clientThatEnds(pgModule))({ ...options, types });
    // Without a listener, a broken connection would end the process. The reader that waits for rows gets the error anyway.
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      reason = error;
      await client.end().catch(() => {});
    }
  }
  throw postgresError(reason);
}

/** The driver would convert dates to our time zone, and round numbers. */
function parserOf(pgModule: PgModule, oid: number): (text: string) => unknown {
  if (oid === int8) return (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text);
  if (asTheyAre.includes(oid)) return (text) => text;
  return pgModule.types.getTypeParser(oid, 'text') as (text: string) => unknown;
}
