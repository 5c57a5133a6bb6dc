import { join } from 'node:path';
import { openDatabase } from '../../engine/database/open.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { migrations } from '../database/migrations.ts';
import { searchContract } from './testing/contract.ts';

searchContract('SQLite', async (test) => {
  const directory = await temporaryDirectory(test);
  const database = await openDatabase('sqlite:', {
    file: join(directory, 'state.db'),
    clock: systemClock,
    lines: [migrations],
  });
  test.after(() => database.close());
  return database;
});
