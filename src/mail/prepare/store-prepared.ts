import type { Engine } from '../../engine/engine.ts';
import { type MailRow, mailDatabase } from '../database/tables.ts';
import { InBatches } from '../delivery/in-batches.ts';

/** Stores the prepared data of mails: one transaction for all that were prepared while the previous one was written. */
export function storePrepared(engine: Pick<Engine, 'database'>) {
  return new InBatches<Pick<MailRow, 'id' | 'fields'>, undefined>(200, async (mails) => {
    await mailDatabase(engine).transaction(async (transaction) => {
      for (const { id, fields } of mails)
        await transaction.updateTable('mail_mail').set({ fields }).where('id', '=', id).execute();
    });
    return mails.map(() => undefined);
  });
}
