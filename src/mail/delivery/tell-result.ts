import type { Engine } from '../../engine/composition/engine.ts';
import type { MailRow } from '../database/tables.ts';
import { sayMailAlert } from '../model/alert-sentences.ts';
import type { MailState } from '../model/mail.ts';
import { alertType } from '../model/mail-type.ts';
import { withoutAddresses } from './answer-text.ts';
import type { Verdict } from './judge.ts';

/** States that need attention. */
const troubles = new Set(['failed', 'unknown', 'expired']);

/** Emits the event of a result, and raises an alert if the recipient got no mail. */
export function tellResult(
  { alerts, clock, events }: Pick<Engine, 'alerts' | 'clock' | 'events'>,
  mail: {
    id: string;
    owner: string;
    type: string;
    class: string;
    campaign: string;
    takes: number;
    attempts: number;
  },
  { state, answer, isReturned = false }: Verdict,
): void {
  if (isReturned) return;
  tellEvent(events, { ...mail, attempts: mail.attempts + 1 }, state, clock.now());
  // A campaign shows its own failures: a thousand alerts would hide the others.
  if (mail.campaign === '') tellTrouble(alerts, mail, { state, answer });
}

/** Emits the event of a mail. */
export function tellEvent(
  events: Engine['events'],
  mail: Pick<MailRow, 'id' | 'owner' | 'type' | 'class' | 'campaign' | 'takes' | 'attempts'>,
  state: MailState,
  at: number,
): void {
  events.emit({
    kind: `mail.${state}`,
    entity: mail.id,
    user: mail.owner,
    at,
    dimensions: {
      type: mail.type,
      class: mail.class,
      ...(mail.campaign && { campaign: mail.campaign }),
      ...(mail.takes > mail.attempts && { repeated: 1 }),
    },
  });
}

/** Raises an alert if the mail was not sent, or may not have been. */
export function tellTrouble(
  alerts: Engine['alerts'],
  { id, type, owner }: { id: string; type: string; owner: string },
  { state, answer }: Pick<Verdict, 'state' | 'answer'>,
): void {
  // A mail about an alert must not raise one.
  if (type === alertType || !troubles.has(state)) return;
  // Without addresses: alerts are logged, and outlive the erasure of a recipient.
  const reason = sayMailAlert('mail.not-sent', { id, type, why: withoutAddresses(answer) });
  void alerts.raise(`mail.${state}`, id, reason, { owner });
}
