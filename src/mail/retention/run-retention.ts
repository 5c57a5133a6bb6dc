import type { Engine } from '../../engine/engine.ts';
import { sectionOf } from '../../engine/house.ts';
import { everyPeriod, type Running, runService } from '../../engine/service/service.ts';
import { mail } from '../house.ts';
import { eraseEnded } from './erase.ts';

const periodMs = 3_600_000;
const dayMs = 86_400_000;

/** Deletes what ended longer ago than mail.keepDays: an elected service. */
export function runRetention(engine: Engine): Running {
  const { clock, clockWatch, log, openSession } = engine;
  const { keepDays } = sectionOf(engine.settings, mail);
  return runService({
    name: 'mail.retention',
    ...{ clock, log, openSession },
    run: ({ signal }) =>
      everyPeriod({ name: 'mail.retention', clock, log, periodMs, signal }, async () => {
        if (keepDays > 0) await eraseEnded(engine, clockWatch.retention.now() - keepDays * dayMs, signal);
        return undefined;
      }),
  });
}
