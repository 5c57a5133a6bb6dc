import type { Engine } from '../../engine/composition/engine.ts';
import { mailDatabase, mailQueries } from '../database/tables.ts';
import { answerText } from '../delivery/answer-text.ts';
import type { Report } from '../reports/read-report.ts';
import type { ReportReader } from '../reports/report-reader.ts';
import { openTokens, type Tokens } from '../tokens/tokens.ts';
import { addReply } from './reply.ts';
import { unsubscribe } from './unsubscribe.ts';

export interface TakenReport {
  kind: 'bounce' | 'complaint' | 'unsubscription' | 'other';
  /** The id of the mail it is about; empty if it is not one of ours. */
  mail: string;
  /** The address is now suppressed. */
  isSuppressed: boolean;
  reason: string;
}

/**
 * Processes a returned mail. Anyone can forge a bounce, so it counts only if it came to the signed address of one of our mails,
 * or quotes its Message-ID and names its recipient.
 */
export async function takeReport(
  engine: Pick<Engine, 'clock' | 'database' | 'events'>,
  reports: ReportReader,
  content: Buffer,
  envelopeTo?: string,
): Promise<TakenReport> {
  const report = await reports.read(content, envelopeTo);
  const { kind, isReturned, isDead } = report;
  const recipients = new Set(report.recipients.map((address) => address.toLowerCase()));
  const reason = answerText(report.reason);
  const nothing = { kind, mail: '', isSuppressed: false, reason };
  const tokens = await openTokens(engine);
  if (kind === 'other') return (await takeUnsubscription(engine, tokens, report)) ?? nothing;
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
      const isOurs = signed !== undefined || recipients.has(mail.recipient);
      if (!isOurs || mail.sentAt === null) return undefined;
      const isSuppressed = kind === 'complaint' || isDead;
      if (kind === 'bounce' && isReturned)
        await transaction
          .updateTable('mail_mail')
          .set({ state: 'bounced', answer: reason, changedAt: now })
          .where('id', '=', mail.id)
          .execute();
      if (kind === 'complaint') await addReply(transaction, mail, 'complained');
      if (isSuppressed)
        await transaction
          .insertInto('mail_suppressed')
          .values({
            address: mail.recipient,
            createdAt: now,
            reason: answerText(`${kind} of mail ${mail.id}: ${reason}`.slice(0, 300)),
            // A dead address gets no mails at all; people who complain still get their invoices.
            class: kind === 'complaint' ? mail.class : '',
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      return { mail, isSuppressed };
    });
    if (!taken) continue;
    const { mail, isSuppressed } = taken;
    const event = kind === 'complaint' ? 'mail.complained' : isReturned ? 'mail.bounced' : 'mail.delayed';
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

/** Any mail to the signed unsubscribe address unsubscribes the recipient, except an out-of-office reply. */
async function takeUnsubscription(
  engine: Pick<Engine, 'clock' | 'database' | 'events'>,
  tokens: Tokens,
  { candidates, isFromPerson }: Report,
): Promise<TakenReport | undefined> {
  if (!isFromPerson) return undefined;
  for (const candidate of candidates) {
    const id = tokens.readUnsubscribe(candidate);
    const mail =
      id === undefined
        ? undefined
        : await mailQueries(engine)
            .selectFrom('mail_mail')
            .selectAll()
            .where('id', '=', id)
            .executeTakeFirst();
    if (!mail) continue;
    await unsubscribe(engine, mail, 'mail');
    return { kind: 'unsubscription', mail: mail.id, isSuppressed: true, reason: `from class ${mail.class}` };
  }
  return undefined;
}
