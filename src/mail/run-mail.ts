import type { Engine } from '../engine/composition/engine.ts';
import { sectionOf, stateOf } from '../engine/house.ts';
import type { Running } from '../engine/service/service.ts';
import { keepAlertType } from './alerts/alert-type.ts';
import { runCampaigns } from './campaigns/run-campaigns.ts';
import { readKey } from './compose/read-key.ts';
import { runRecorder } from './delivery/record-whole.ts';
import { RowMails } from './delivery/row-mails.ts';
import { runSenders } from './delivery/run-senders.ts';
import { WholeMails } from './delivery/whole-mails.ts';
import { sayMailAlert } from './model/alert-sentences.ts';
import { OpenMail } from './opened/open-mail.ts';
import { Relays } from './relays/relays.ts';
import { runRetention } from './retention/run-retention.ts';
import { classesOf, mailSection } from './settings/settings.ts';

/** Runs the senders, the recorder and the generator of campaigns. */
export async function runMail(engine: Engine): Promise<Running> {
  const settings = sectionOf(engine.settings, mailSection);
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
      void engine.alerts.raise(
        'mail.relays-down',
        'relays',
        sayMailAlert('mail.relays-down', { why: reason }),
      );
  };
  if (settings.alertsTo.length > 0) await keepAlertType(engine, settings);
  const open = stateOf(engine, OpenMail);
  open.relays = relays;
  const composer = await open.composer();
  const senders = await runSenders({
    engine,
    settings,
    relays,
    composer,
    rows: new RowMails(engine, settings),
    whole: new WholeMails(engine),
  });
  const recorder = await runRecorder(engine);
  const campaigns = runCampaigns(engine, open.campaigns);
  const retention = runRetention(engine);
  const stopTelling = tellResults(engine);
  return {
    async close() {
      open.relays = undefined;
      stopTelling();
      await Promise.all([campaigns.close(), retention.close()]);
      await senders.close();
      await recorder.close();
    },
  };
}

/** Tells those who watch that mails of theirs have ended, and that a campaign has gone on. */
function tellResults({ changes, events }: Pick<Engine, 'changes' | 'events'>): () => void {
  return events.subscribe(({ kind, user = '', dimensions }) => {
    if (!kind.startsWith('mail.')) return;
    changes.addJoined({ kind: 'mail', entity: user, owner: user });
    const campaign = dimensions?.campaign;
    if (campaign !== undefined)
      changes.addJoined({ kind: 'campaign', entity: String(campaign), owner: user });
  });
}
