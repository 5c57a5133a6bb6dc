import type { Engine } from '../../engine/engine.ts';
import { alertType } from '../alerts/alert-type.ts';
import type { Verdict } from './judge.ts';

/** Ends that a person should look at. */
const troubles = new Set(['failed', 'unknown', 'expired']);

/** Emits the event of a mail, and raises an alert where somebody waits for it in vain. */
export function tellResult(
  { alerts, clock, events }: Pick<Engine, 'alerts' | 'clock' | 'events'>,
  mail: {
    id: string;
    owner: string;
    type: string;
    class: string;
    campaign: string;
    recipient: string;
    takes: number;
    attempts: number;
  },
  { state, answer, isReturned = false }: Verdict,
): void {
  if (isReturned) return;
  const isRepeated = mail.takes > mail.attempts + 1;
  events.emit({
    kind: `mail.${state}`,
    entity: mail.id,
    user: mail.owner,
    at: clock.now(),
    dimensions: {
      type: mail.type,
      class: mail.class,
      ...(mail.campaign && { campaign: mail.campaign }),
      ...(isRepeated && { repeated: 1 }),
    },
  });
  // Of a campaign, its status shows them: a thousand alerts would hide the others. A mail about an alert must not raise one.
  if (mail.type === alertType || mail.campaign !== '' || !troubles.has(state)) return;
  void alerts.raise(
    `mail.${state}`,
    mail.id,
    // Without the address, which servers like to repeat: alerts go to logs, and outlive the erasure of a recipient.
    `mail ${mail.id} (${mail.type}): ${answer.replaceAll(mail.recipient, 'RECIPIENT')}`,
    { owner: mail.owner },
  );
}
