import { giveUp } from '../../engine/blobs/owners/blob-erasure.ts';
import type { Engine } from '../../engine/engine.ts';
import { audienceOwner } from '../campaigns/create-campaign.ts';
import { mailDatabase, mailQueries } from '../database/tables.ts';
import { blobOwner } from '../delivery/submit-mail.ts';
import type { MailState } from '../model/mail.ts';

type Parts = Pick<Engine, 'clock' | 'database'>;

/** States in which nothing more happens to a mail. */
const endedStates: readonly MailState[] = ['sent', 'failed', 'bounced', 'expired', 'suppressed', 'cancelled'];
const mailsPerStep = 500;

/** Everything about a recipient: mails, those that wait too, with their data and attachments. Resolves to their number. */
export async function eraseRecipient(parts: Parts, address: string, signal: AbortSignal): Promise<number> {
  const queries = mailQueries(parts);
  return inSteps(signal, () =>
    deleteMails(parts, () =>
      queries
        .selectFrom('mail_mail')
        .select('id')
        .where('recipient', '=', address)
        .limit(mailsPerStep)
        .execute(),
    ),
  );
}

/** Mails and campaigns that ended before this time, with audiences and attachments. Resolves to the number of mails. */
export async function eraseEnded(parts: Parts, before: number, signal: AbortSignal): Promise<number> {
  const queries = mailQueries(parts);
  let total = await inSteps(signal, () =>
    deleteMails(parts, () =>
      queries
        .selectFrom('mail_mail')
        .select('id')
        .where('campaign', '=', '')
        .where('createdAt', '<', before)
        .where('changedAt', '<', before)
        .where('state', 'in', endedStates)
        .limit(mailsPerStep)
        .execute(),
    ),
  );
  const campaigns = await queries
    .selectFrom('mail_campaign')
    .select('id')
    .where('endedAt', '<', before)
    .execute();
  for (const { id } of campaigns) {
    total += await inSteps(signal, () =>
      deleteMails(parts, () =>
        queries.selectFrom('mail_mail').select('id').where('campaign', '=', id).limit(mailsPerStep).execute(),
      ),
    );
    if (signal.aborted) return total;
    await mailDatabase(parts).transaction(async (transaction) => {
      await giveUp(transaction, audienceOwner(id), parts.clock.now());
      await transaction.deleteFrom('mail_campaign').where('id', '=', id).execute();
    });
  }
  await queries.deleteFrom('mail_request').where('createdAt', '<', before).execute();
  return total;
}

async function deleteMails(parts: Parts, find: () => Promise<{ id: string }[]>): Promise<number> {
  const ids = (await find()).map(({ id }) => id);
  if (ids.length === 0) return 0;
  await mailDatabase(parts).transaction(async (transaction) => {
    const withFiles = await transaction
      .selectFrom('mail_mail')
      .select('id')
      .where('id', 'in', ids)
      .where('fields', 'like', '%"attachments"%')
      .execute();
    for (const { id } of withFiles) await giveUp(transaction, blobOwner(id), parts.clock.now());
    await transaction.deleteFrom('mail_file').where('mail', 'in', ids).execute();
    await transaction.deleteFrom('mail_request').where('mail', 'in', ids).execute();
    await transaction.deleteFrom('mail_mail').where('id', 'in', ids).execute();
  });
  return ids.length;
}

/** In steps, so that others can write in between. */
async function inSteps(signal: AbortSignal, step: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await step();
    total += count;
    if (count < mailsPerStep || signal.aborted) return total;
  }
}
