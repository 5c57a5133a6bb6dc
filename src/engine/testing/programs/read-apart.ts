import { sql } from 'kysely';
import { openSqliteDatabase } from '../../database/sqlite.ts';

/** Makes one expensive read and closes the database; with `endless`, the read never ends. */
const [file = '', endless] = process.argv.slice(2);
const database = await openSqliteDatabase({ file });
const end = endless === undefined ? sql`WHERE n < 10` : sql``;
await database.read({ owner: 'anna', deadlineMs: 600_000 }, (queries) =>
  sql`WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted ${end})
    SELECT COUNT(*) AS "count" FROM counted`.execute(queries),
);
process.stdout.write('read\n');
await database.close();
process.stdout.write('closed\n');
