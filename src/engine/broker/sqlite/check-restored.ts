import { DatabaseSync } from 'node:sqlite';
import { differenceFrom, faultOf } from '../../database/sqlite/check-restored.ts';
import { prepareFile } from './schema.ts';

/** What is wrong with the file of the queues; undefined if it is what this program would have made. */
export function faultOfQueues(file: string): Promise<string | undefined> {
  const foreign = () =>
    differenceFrom(file, (reference) => {
      const database = new DatabaseSync(reference);
      prepareFile(database);
      database.close();
    });
  return faultOf(file, foreign);
}
