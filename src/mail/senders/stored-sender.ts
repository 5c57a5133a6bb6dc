import type { Database } from '../../engine/database/database.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { newId } from '../../engine/ground/identity.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { checkDesign } from '../model/design.ts';
import { classesOf, mailSettings, queueOf } from '../settings/settings.ts';
import type { MailSender } from './mail-sender.ts';
import { cached, type MailStore } from './mail-store.ts';
import { checkAlone } from './senders.ts';

/**
 * Stores and queues mails in the database of a mail server, in one transaction. The URL is that of the setting `database` of
 * the mail server, postgres://. A SQLite file belongs to the server alone.
 */
export async function openStoredSender(options: {
  url: string;
  owner?: string;
  mail?: object;
}): Promise<MailSender> {
  const { owner = 'local' } = options;
  const database = await openMailDatabase(options.url);
  const { addToBacklog } = await import('../../engine/backlog/backlog.ts');
  const { ownAll } = await import('../../engine/blob-owners/blob-owners.ts');
  const { mailDatabase } = await import('../database/tables.ts');
  const { byIds } = await import('../delivery/mail-message.ts');
  const { blobOwner, rowOf } = await import('../delivery/submit-mail.ts');
  const { findType } = await import('../types/mail-types.ts');
  const classes = classesOf(mailSettings.parse({ ...options.mail }));
  return {
    async send(mail) {
      const fields = checkAlone(mail);
      const type = await findType({ database }, fields.type);
      checkDesign(type, fields.design);
      const mailClass = classes.get(type.class);
      if (!mailClass)
        throw new PismakError(
          'invalid-input',
          `mail type ${type.code} has class ${type.class}; name it in the settings that you give as \`mail\``,
        );
      const id = newId(systemClock);
      const now = systemClock.now();
      const blobs = (fields.attachments ?? []).flatMap(({ blob }) => (blob === undefined ? [] : [blob]));
      await mailDatabase({ database }).transaction(async (transaction) => {
        await transaction
          .insertInto('mail_mail')
          .values(rowOf({ id, owner, now }, type, mailClass, fields))
          .execute();
        await ownAll(transaction, blobs, blobOwner(id), now);
        const message = byIds([id], owner, type.priority ?? mailClass.lane);
        const item = { queue: queueOf(type.class), owner, batch: `mail/${id}`, message };
        await addToBacklog(systemClock, transaction, [item]);
      });
      return { id };
    },
    close: () => database.close(),
  };
}

/** Types of a mail server, read from its database and cached for half a minute. */
export async function openDatabaseStore({
  url,
}: {
  url: string;
}): Promise<MailStore & { close(): Promise<void> }> {
  const database = await openMailDatabase(url);
  const { findType } = await import('../types/mail-types.ts');
  return { ...cached((code) => findType({ database }, code)), close: () => database.close() };
}

async function openMailDatabase(url: string): Promise<Database> {
  if (!url.startsWith('postgres'))
    throw new PismakError(
      'configuration-invalid',
      'an embedded database belongs to the process of its mail server; use httpSender and httpStore, or PostgreSQL',
    );
  const { openDatabase } = await import('../../engine/database/open.ts');
  const { migrations } = await import('../database/migrations.ts');
  const lines = [{ name: 'mail', migrations }];
  return openDatabase(url, { file: '', clock: systemClock, lines, onlyCheck: true });
}
