import { DatabaseSync } from 'node:sqlite';
import { damageOf, differenceFrom } from '../../database/sqlite/check-restored.ts';
import { prepareFile } from './schema.ts';

/** What is wrong with the file of the queues; undefined if it is what this program would have made. */
export async function faultOfQueues(file: string): Promise<string | undefined> {
  const damage = damageOf(file);
  if (damage !== undefined) return damage;
  return differenceFrom(file, (reference) => {
    const database = new DatabaseSync(reference);
    prepareFile(database);
    database.close();
  });
}
