import type { Engine } from '../../engine/composition/engine.ts';
import { sectionOf } from '../../engine/house.ts';
import { everyPeriod, type Running, runService } from '../../engine/service/service.ts';
import { mailQueries } from '../database/tables.ts';
import { deleteSentFiles } from '../delivery/delete-sent-files.ts';
import { mailSection } from '../settings/settings.ts';
import { eraseEnded } from './erase.ts';

const periodMs = 3_600_000;
const dayMs = 86_400_000;
/** Longer than any mail waits in a queue. */
const withdrawnDays = 366;

/** Deletes what ended longer ago than mail.keepDays, and files that a killed sender should have deleted: an elected service. */
export function runRetention(engine: Engine): Running {
  const { clock, clockWatch, log, openSession } = engine;
  const settings = sectionOf(engine.settings, mailSection);
  const { keepDays } = settings;
  return runService({
    name: 'mail.retention',
    clock,
    log,
    openSession,
    run: ({ signal }) =>
      everyPeriod({ name: 'mail.retention', clock, log, periodMs, signal }, async () => {
        const now = clockWatch.retention.now();
        if (keepDays > 0) await eraseEnded(engine, now - keepDays * dayMs, signal);
        for (const table of ['mail_erased', 'mail_cancelled'] as const)
          await mailQueries(engine)
            .deleteFrom(table)
            .where('at', '<', now - withdrawnDays * dayMs)
            .execute();
        await deleteSentFiles(engine, settings);
        return undefined;
      }),
  });
}
