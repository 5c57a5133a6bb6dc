import type { Engine } from '../../engine/composition/engine.ts';
import { sectionOf } from '../../engine/house.ts';
import { classOf } from '../delivery/submit-mail.ts';
import { SendingHours } from '../model/sending-hours.ts';
import { mailSection } from '../settings/settings.ts';
import { findType } from '../types/mail-types.ts';
import type { Campaign } from './campaign.ts';

/** When the sending hours of a campaign's class begin; null while its mails may leave. */
export async function opensAt(
  engine: Pick<Engine, 'clock' | 'database' | 'settings'>,
  { type, version }: Pick<Campaign, 'type' | 'version'>,
): Promise<number | null> {
  const { hours } = classOf(engine, await findType(engine, type, version));
  const { timeZone } = sectionOf(engine.settings, mailSection);
  return new SendingHours(hours, timeZone).opensAt(engine.clock.now());
}
