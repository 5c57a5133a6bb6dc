import { engineMigrations } from '../../database/open.ts';
import { openSqliteDatabase } from '../../database/sqlite.ts';

/** Commits rows in pairs and prints the number of each pair once it is committed; at most `commits` of them. */
const [file = '', commits = 'Infinity', round = ''] = process.argv.slice(2);
const database = await openSqliteDatabase({ file });
await database.migrate(engineMigrations);
for (let number = 0; number < Number(commits); number++) {
  await database.transaction(async (transaction) => {
    for (const half of ['a', 'b']) {
      await transaction
        .insertInto('secret')
        .values({ name: `${round}-${half}${number}`, value: 'x'.repeat(500), createdAt: number })
        .execute();
    }
  });
  process.stdout.write(`${number}\n`);
}
await database.close();
