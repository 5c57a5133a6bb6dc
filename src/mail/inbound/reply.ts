import type { Queries } from '../../engine/database/database.ts';
import type { MailRow, MailTables, ReplyKind } from '../database/tables.ts';

/**
 * Counts an unsubscription or complaint about a mail of a campaign, so that variants can be compared. Repetitions do not count.
 */
export async function addReply(
  queries: Queries<MailTables>,
  { id, campaign, variant }: Pick<MailRow, 'id' | 'campaign' | 'variant'>,
  kind: ReplyKind,
): Promise<void> {
  if (campaign === '') return;
  await queries
    .insertInto('mail_reply')
    .values({ campaign, mail: id, kind, variant })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
