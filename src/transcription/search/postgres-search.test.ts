import { after } from 'node:test';
import { openDatabase } from '../../engine/database/open.ts';
import { sharedPostgres } from '../../engine/testing/servers/shared.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { migrations } from '../database/migrations.ts';
import { searchContract } from './testing/contract.ts';

const server = await sharedPostgres();
after(() => server.close());

searchContract('PostgreSQL', async (test) => {
  const database = await openDatabase(await server.createDatabase(), {
    file: '',
    clock: systemClock,
    lines: [migrations],
  });
  test.after(() => database.close());
  return database;
});
