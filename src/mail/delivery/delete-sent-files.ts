import { rm } from 'node:fs/promises';
import type { Engine } from '../../engine/engine.ts';
import { mailQueries } from '../database/tables.ts';
import type { MailSettings } from '../settings.ts';
import { allowedPath } from './load-attachment.ts';

/** Deletes the files that this mail was the last to need. */
export async function deleteSentFiles(
  engine: Pick<Engine, 'database' | 'log'>,
  settings: MailSettings,
  mail: string,
): Promise<void> {
  const queries = mailQueries(engine);
  const files = await queries.selectFrom('mail_file').select('path').where('mail', '=', mail).execute();
  await queries.deleteFrom('mail_file').where('mail', '=', mail).execute();
  for (const { path } of files) {
    const other = await queries
      .selectFrom('mail_file')
      .select('mail')
      .where('path', '=', path)
      .executeTakeFirst();
    if (other) continue;
    try {
      await rm(await allowedPath(settings, path));
    } catch (error) {
      engine.log.warn({ err: error, path, mail }, 'a sent attachment could not be deleted');
    }
  }
}
