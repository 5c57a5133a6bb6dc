import type { AlertNotice } from '../../engine/alert/alert.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Queries } from '../../engine/database/database.ts';
import { newId } from '../../engine/ground/identity.ts';
import { sectionOf } from '../../engine/house.ts';
import type { MailTables } from '../database/tables.ts';
import { byIds } from '../delivery/mail-message.ts';
import { classOf, rowOf } from '../delivery/submit-mail.ts';
import { checkMail } from '../model/mail.ts';
import { alertType } from '../model/mail-type.ts';
import { mailSection, queueOf } from '../settings/settings.ts';
import { readType } from '../types/mail-types.ts';

/** The owner of mails about alerts: the installation itself. */
const owner = 'local';
const hourMs = 3_600_000;
const words = { 'alert.raised': 'Alert', 'alert.repeated': 'Still', 'alert.cleared': 'Over' };

/** Queues a mail about an alert to every address of the settings, in the transaction that stores the alert. */
export async function mailAlert(
  parts: Pick<Engine, 'backlog' | 'clock' | 'settings'>,
  transaction: Queries,
  { event, alert }: AlertNotice,
): Promise<void> {
  const { alertsTo, alertsPerHour } = sectionOf(parts.settings, mailSection);
  if (alertsTo.length === 0) return;
  const queries = transaction as Queries<MailTables>;
  const stored = await queries
    .selectFrom('mail_type')
    .selectAll()
    .where('code', '=', alertType)
    .where('isCurrent', '=', 1)
    .executeTakeFirst();
  // The type was deleted. Alerts must be stored nevertheless.
  if (!stored) return;
  const type = readType(stored);
  const mailClass = classOf(parts, type);
  const now = parts.clock.now();
  const { count } = await queries
    .selectFrom('mail_mail')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('campaign', '=', '')
    .where('owner', '=', owner)
    .where('createdAt', '>', now - hourMs)
    .where('type', '=', alertType)
    .executeTakeFirstOrThrow();
  const left = alertsPerHour - Math.floor(Number(count) / alertsTo.length);
  if (left <= 0) return;
  const data = {
    event: words[event],
    kind: alert.kind,
    entity: alert.entity,
    reason: alert.reason.slice(0, 5000),
    since: new Date(alert.raisedAt).toISOString(),
    last: left === 1,
  };
  for (const to of alertsTo) {
    const row = rowOf(
      { id: newId(parts.clock), owner, now },
      type,
      mailClass,
      checkMail({ type: alertType, to, data }),
    );
    await queries.insertInto('mail_mail').values(row).execute();
    const message = byIds([row.id], owner, type.priority ?? mailClass.lane);
    await parts.backlog.add(queries, [
      { queue: queueOf(row.class), owner, batch: `mail/${row.id}`, message },
    ]);
  }
}
