import { rm } from 'node:fs/promises';
import type { Engine } from '../../engine/composition/engine.ts';
import { allowedPath } from '../compose/load-attachment.ts';
import { mailQueries } from '../database/tables.ts';
import type { MailSettings } from '../settings/settings.ts';

/**
 * Deletes the files of this mail that no other mail needs; without a mail, all files that a killed process left. A file is kept
 * while a mail that names it has not been sent.
 */
export async function deleteSentFiles(
  engine: Pick<Engine, 'database' | 'log'>,
  settings: MailSettings,
  mail?: string,
): Promise<void> {
  const queries = mailQueries(engine);
  const all = queries.selectFrom('mail_file').select('path').distinct();
  const files = await (mail === undefined ? all : all.where('mail', '=', mail)).execute();
  for (const { path } of files) {
    // One statement, so that only one of two concurrent senders deletes the file.
    const forgotten = await queries
      .deleteFrom('mail_file')
      .where('path', '=', path)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('mail_file as other')
              .innerJoin('mail_mail', 'mail_mail.id', 'other.mail')
              .select('other.mail')
              .where('other.path', '=', path)
              .where('mail_mail.sentAt', 'is', null),
          ),
        ),
      )
      .executeTakeFirst();
    if (Number(forgotten.numDeletedRows) === 0) continue;
    try {
      await rm(await allowedPath(settings, path));
    } catch (error) {
      engine.log.warn({ err: error, path, mail }, 'a sent attachment could not be deleted');
    }
  }
}
