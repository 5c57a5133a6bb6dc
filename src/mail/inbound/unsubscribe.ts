import type { Engine } from '../../engine/composition/engine.ts';
import { type MailRow, mailQueries } from '../database/tables.ts';
import { addressKey } from '../model/address.ts';
import { addReply } from './reply.ts';

/** Unsubscribes the recipient of this mail from its class. Idempotent. */
export async function unsubscribe(
  engine: Pick<Engine, 'clock' | 'database' | 'events'>,
  mail: Pick<MailRow, 'id' | 'owner' | 'recipient' | 'class' | 'campaign' | 'variant'>,
  how: 'link' | 'mail',
): Promise<void> {
  const now = engine.clock.now();
  await addReply(mailQueries(engine), mail, 'unsubscribed');
  const result = await mailQueries(engine)
    .insertInto('mail_suppressed')
    .values({
      address: addressKey(mail.recipient),
      class: mail.class,
      createdAt: now,
      reason: `unsubscribed from mail ${mail.id}${how === 'mail' ? ', by mail' : ''}`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (Number(result.numInsertedOrUpdatedRows ?? 0) === 0) return;
  engine.events.emit({
    kind: 'mail.unsubscribed',
    entity: mail.id,
    user: mail.owner,
    at: now,
    dimensions: { class: mail.class, how, ...(mail.campaign && { campaign: mail.campaign }) },
  });
}
