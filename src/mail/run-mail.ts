import type { Engine } from '../engine/engine.ts';
import { sectionOf } from '../engine/house.ts';
import type { Running } from '../engine/service/service.ts';
import { keepAlertType } from './alerts/alert-type.ts';
import { runCampaigns } from './campaigns/run-campaigns.ts';
import { readKey } from './delivery/compose.ts';
import { runRecorder } from './delivery/record-whole.ts';
import { RowMails } from './delivery/row-mails.ts';
import { runSenders } from './delivery/run-senders.ts';
import { WholeMails } from './delivery/whole-mails.ts';
import { mail } from './house.ts';
import { composerOf } from './open-mail.ts';
import { Relays } from './relays/relays.ts';
import { keepRelays } from './relays/running-relays.ts';
import { runRetention } from './retention/run-retention.ts';
import { classesOf } from './settings.ts';

/** Runs the senders, the recorder and the generator of campaigns. */
export async function runMail(engine: Engine): Promise<Running> {
  const settings = sectionOf(engine.settings, mail);
  // A key that can't be read would make every mail fail for good: better not to start.
  await readKey(settings);
  const relays = new Relays(settings.relays, {
    clock: engine.clock,
    name: settings.name,
    classes: classesOf(settings),
    providers: Object.values(settings.providers),
  });
  relays.onDown = (reason) => {
    if (reason === undefined) void engine.alerts.clear('mail.relays-down', 'relays');
    else
      void engine.alerts.raise('mail.relays-down', 'relays', `no relay takes mails, so they wait: ${reason}`);
  };
  if (settings.alertsTo.length > 0) await keepAlertType(engine, settings);
  const forget = keepRelays(engine, relays);
  const composer = await composerOf(engine);
  const senders = await runSenders({
    engine,
    settings,
    relays,
    composer,
    rows: new RowMails(engine, settings),
    whole: new WholeMails(engine),
  });
  const recorder = await runRecorder(engine);
  const campaigns = runCampaigns(engine);
  const retention = runRetention(engine);
  return {
    async close() {
      forget();
      await Promise.all([campaigns.close(), retention.close()]);
      await senders.close();
      composer.close();
      await recorder.close();
    },
  };
}
