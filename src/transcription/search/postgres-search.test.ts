import { after } from 'node:test';
import { openDatabase } from '../../engine/database/open.ts';
import { startPostgres } from '../../engine/testing/servers/postgres.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { migrations } from '../database/migrations.ts';
import { searchContract } from './contract.ts';

const server = await startPostgres();
after(() => server.close());

searchContract('PostgreSQL', async (test) => {
  const database = await openDatabase(await server.createDatabase(), {
    ...{ file: '', clock: systemClock, lines: [migrations] },
  });
  test.after(() => database.close());
  return database;
});
