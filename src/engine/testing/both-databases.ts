import { join } from 'node:path';
import { after } from 'node:test';
import { openDirectoryBlobs } from '../blobs/directory.ts';
import { openDatabase } from '../database/open.ts';
import type { Clock } from '../time/clock.ts';
import { sharedPostgres } from './servers/shared.ts';
import { temporaryDirectory } from './temporary-directory.ts';

type Scope = { after(work: () => Promise<void>): void };

/** The engine's tables on both databases, each with a blob store: for tests that are mostly SQL. */
export async function bothDatabases() {
  const server = await sharedPostgres();
  after(() => server.close());
  const opener = (url: () => Promise<string>) => async (test: Scope, clock: Clock) => {
    const directory = await temporaryDirectory(test);
    const database = await openDatabase(await url(), { file: join(directory, 'state.db'), clock });
    test.after(() => database.close());
    const blobs = await openDirectoryBlobs(join(directory, 'blobs'));
    return { blobs, clock, database };
  };
  return [
    { name: 'SQLite', open: opener(async () => 'sqlite:') },
    { name: 'PostgreSQL', open: opener(() => server.createDatabase()) },
  ];
}
