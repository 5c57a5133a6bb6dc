import { type HouseParts, stateOf } from '../engine/house.ts';
import { mailAlert } from './alerts/mail-alert.ts';
import { migrations } from './database/migrations.ts';
import { campaignSeries } from './opened/campaign-progress.ts';
import { OpenMail } from './opened/open-mail.ts';
import { mailOperations } from './operations/index.ts';
import { onlineVersion, unsubscribePage } from './pages/online-version.ts';
import { runMail } from './run-mail.ts';

/** The parts of this house that a running engine needs. */
export const parts: HouseParts = {
  migrations,
  open: (engine) => new OpenMail(engine),
  operations: mailOperations,
  pages: [onlineVersion, unsubscribePage],
  onAlert: mailAlert,
  progress: (engine) => stateOf(engine, OpenMail).progress.get(),
  series: async (engine) => campaignSeries(await stateOf(engine, OpenMail).progress.get()),
  run: runMail,
};
