import type { Engine } from '../../engine/composition/engine.ts';
import { hasCode } from '../../engine/ground/errors.ts';
import { alertType } from '../model/mail-type.ts';
import type { MailSettings } from '../settings/settings.ts';

const template = `<p>{{ event }}: <b>{{ kind }}</b>, {{ entity }}</p>
<p>{{ reason }}</p>
<p>Since {{ since }}. {% if last %}No more mails about alerts follow in this hour. {% endif %}All alerts: pismak alert ls</p>
`;

/** Creates the type if it is missing: before the first alert, because this can't be done in the alert's transaction. */
export async function keepAlertType(
  engine: Pick<Engine, 'clock' | 'database'>,
  { alertsFrom, alertsTo }: MailSettings,
): Promise<void> {
  const { findType, storeType } = await import('../types/mail-types.ts');
  try {
    await findType(engine, alertType);
  } catch (error) {
    if (!hasCode(error, 'not-found')) throw error;
    const domain = alertsTo[0]?.split('@').at(-1) ?? 'localhost';
    await storeType(engine, {
      code: alertType,
      name: 'Alerts of Pismak',
      sender: alertsFrom || `Pismak <pismak@${domain}>`,
      subject: '{{ event }}: {{ kind }} {{ entity }}',
      template,
    }).catch((problem: unknown) => {
      // Another process created it first.
      if (!hasCode(problem, 'already-exists')) throw problem;
    });
  }
}
