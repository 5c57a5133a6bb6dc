import type { Engine } from '../../engine/engine.ts';
import { mailDatabase } from '../database/tables.ts';
import { openTokens } from '../tokens.ts';
import { readReport } from './read-report.ts';

export interface TakenReport {
  kind: 'bounce' | 'complaint' | 'other';
  /** The mail it is about; empty if it is about none of ours. */
  mail: string;
  /** The address gets no more mails. */
  isSuppressed: boolean;
  reason: string;
}

/**
 * Takes what came back. Anybody can send mails that look like bounces, so only one about a mail of ours changes something:
 * it came to the signed address of that mail, or quotes its Message-ID and names its recipient.
 */
export async function takeReport(
  engine: Pick<Engine, 'clock' | 'database' | 'events'>,
  content: Buffer,
  envelopeTo?: string,
): Promise<TakenReport> {
  const report = await readReport(content, envelopeTo);
  const { kind, reason, isPermanent, recipient } = report;
  const nothing = { kind, mail: '', isSuppressed: false, reason };
  if (kind === 'other') return nothing;
  const tokens = await openTokens(engine);
  const now = engine.clock.now();
  for (const candidate of report.candidates) {
    const signed = tokens.readBounce(candidate);
    const taken = await mailDatabase(engine).transaction(async (transaction) => {
      const mail = await transaction
        .selectFrom('mail_mail')
        .selectAll()
        .where('id', '=', signed ?? candidate)
        .executeTakeFirst();
      if (!mail) return undefined;
      const isOurs = signed !== undefined || (recipient !== '' && mail.recipient === recipient.toLowerCase());
      if (!isOurs || mail.sentAt === null) return undefined;
      const isSuppressed = kind === 'complaint' || isPermanent;
      if (kind === 'bounce' && isPermanent)
        await transaction
          .updateTable('mail_mail')
          .set({ state: 'bounced', answer: reason.slice(0, 500), changedAt: now })
          .where('id', '=', mail.id)
          .execute();
      if (isSuppressed)
        await transaction
          .insertInto('mail_suppressed')
          .values({
            ...{
              address: mail.recipient,
              createdAt: now,
              reason: `${kind} of mail ${mail.id}: ${reason}`.slice(0, 300),
            },
            // A dead address is dead for all mails; whoever complains shall still get his invoices.
            class: kind === 'complaint' ? mail.class : '',
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      return { mail, isSuppressed };
    });
    if (!taken) continue;
    const { mail, isSuppressed } = taken;
    const event = kind === 'complaint' ? 'mail.complained' : isPermanent ? 'mail.bounced' : 'mail.delayed';
    const dimensions = {
      type: mail.type,
      class: mail.class,
      ...(mail.campaign && { campaign: mail.campaign }),
    };
    engine.events.emit({ kind: event, entity: mail.id, user: mail.owner, at: now, dimensions });
    return { kind, mail: mail.id, isSuppressed, reason };
  }
  return nothing;
}
