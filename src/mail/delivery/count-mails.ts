import type { Engine } from '../../engine/composition/engine.ts';
import type { Queries } from '../../engine/database/database.ts';
import type { Role } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { sectionOf } from '../../engine/house.ts';
import { addUsage, dayOf, monthOf } from '../../engine/usage/usage.ts';
import { mailSection } from '../settings/settings.ts';

/** Counts mails, and the bytes stored for them, against the user's limits. Throws in the transaction that stores them. */
export async function countMails(
  parts: Pick<Engine, 'clock' | 'settings'>,
  transaction: Queries,
  { name: owner, role }: { name: string; role?: Role },
  { mails, bytes }: { mails: number; bytes: number },
): Promise<void> {
  const { mailsPerMonth, mbPerDay } = sectionOf(parts.settings, mailSection);
  const isLimited = role !== 'admin';
  const now = parts.clock.now();
  const sent = await addUsage(transaction, {
    owner,
    kind: 'mail.mails',
    month: monthOf(now),
    count: mails,
  });
  if (isLimited && mailsPerMonth > 0 && sent > mailsPerMonth)
    throw new PismakError(
      'quota-exceeded',
      `you have reached your limit of ${mailsPerMonth} mails per month (setting mail.mailsPerMonth)`,
    );
  const stored = await addUsage(transaction, { owner, kind: 'mail.bytes', month: dayOf(now), count: bytes });
  if (isLimited && mbPerDay > 0 && stored > mbPerDay * 2 ** 20)
    throw new PismakError(
      'quota-exceeded',
      `your mails of today, with their data and attachments, would exceed ${mbPerDay} MB (setting mail.mbPerDay); send the rest after midnight UTC`,
    );
}
