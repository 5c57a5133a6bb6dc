import type { Engine } from '../../engine/composition/engine.ts';
import { chunks } from '../../engine/ground/chunks.ts';
import { sectionOf } from '../../engine/house.ts';
import { mailDatabase } from '../database/tables.ts';
import type { MailState } from '../model/mail.ts';
import { classesOf, mailSection, queueOf } from '../settings/settings.ts';
import { readType } from '../types/mail-types.ts';
import { byIds, mailsPerMessage } from './mail-message.ts';

type ResendingEngine = Pick<Engine, 'alerts' | 'backlog' | 'clock' | 'database' | 'settings'>;

const mailsPerStep = 1000;

/** Queues ended mails again with a new time to live, but never those that were sent. Resolves to their number. */
export async function resendMails(
  parts: ResendingEngine,
  which: { ids: readonly string[] } | { campaign: string; states: readonly MailState[]; isPaused?: boolean },
): Promise<number> {
  const classes = classesOf(sectionOf(parts.settings, mailSection));
  let total = 0;
  for (;;) {
    const some = await mailDatabase(parts).transaction(async (transaction) => {
      const states = 'ids' in which ? (['failed', 'expired', 'unknown'] as const) : which.states;
      const base = transaction
        .selectFrom('mail_mail')
        .select(['id', 'owner', 'class', 'campaign', 'type', 'version'])
        .where('state', 'in', states);
      const query =
        'ids' in which ? base.where('id', 'in', which.ids) : base.where('campaign', '=', which.campaign);
      const mails = await query.limit(mailsPerStep).execute();
      const now = parts.clock.now();
      for (const [, alike] of Map.groupBy(mails, (mail) => `${mail.class} ${mail.type} ${mail.version}`)) {
        const { class: className = '', type: code = '', version = 0 } = alike[0] ?? {};
        const mailClass = classes.get(className);
        const stored = await transaction
          .selectFrom('mail_type')
          .select(['definition', 'version'])
          .where('code', '=', code)
          .where('version', '=', version)
          .executeTakeFirst();
        const type = stored && readType(stored);
        const lane = type?.priority ?? mailClass?.lane ?? 'normal';
        const ttlMs = type?.ttlMs ?? mailClass?.ttlMs ?? 86_400_000;
        const ids = alike.map(({ id }) => id);
        await transaction
          .updateTable('mail_mail')
          // Earlier attempts are settled: they must not look like those of a dead sender.
          .set(({ ref }) => ({
            state: 'waiting' as const,
            changedAt: now,
            notAfter: now + ttlMs,
            attempts: 0,
            takes: 0,
            relay: '',
            answer: ref('answer'),
          }))
          .where('id', 'in', ids)
          .execute();
        for (const group of chunks(alike, mailsPerMessage)) {
          const owner = group[0]?.owner ?? '';
          await parts.backlog.add(transaction, [
            {
              queue: queueOf(className),
              owner,
              batch: group[0]?.campaign || 'mail',
              message: byIds(
                group.map(({ id }) => id),
                owner,
                lane,
              ),
              paused: 'isPaused' in which && which.isPaused === true,
            },
          ]);
        }
      }
      return mails;
    });
    total += some.length;
    for (const { id, campaign } of some)
      if (campaign === '')
        for (const state of ['failed', 'expired', 'unknown']) await parts.alerts.clear(`mail.${state}`, id);
    if (some.length < mailsPerStep) break;
  }
  if (total > 0) parts.backlog.wake();
  return total;
}
