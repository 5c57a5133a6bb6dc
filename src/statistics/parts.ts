import { type HouseParts, sectionOf } from '../engine/house.ts';
import { migrations } from './database/migrations.ts';
import { ingestProcessor, ingestStage } from './ingest/ingest-stage.ts';
import { StatisticsState, statisticsOf } from './opened/statistics.ts';
import { statisticsOperations } from './operations/index.ts';
import { sendOwnEvents } from './own/own-events.ts';
import { runStatistics } from './run-statistics.ts';
import { statisticsSection } from './settings/settings.ts';

/** The parts of this house that a running engine needs. */
export const parts: HouseParts = {
  migrations,
  processors: (engine) => [ingestProcessor(engine)],
  firstStart: { stages: [ingestStage], pipelines: [] },
  open: (engine) => new StatisticsState(engine),
  operations: statisticsOperations,
  async forgetUser(engine, user) {
    const { forgetAccount } = await import('./entities/erase-user.ts');
    return forgetAccount(await statisticsOf(engine), user);
  },
  run: runStatistics,
  runBesideWorker: (beside) =>
    sectionOf(beside.settings, statisticsSection).own ? sendOwnEvents(beside) : { async close() {} },
};
