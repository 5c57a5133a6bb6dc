import { type HouseParts, sectionOf } from '../engine/house.ts';
import { ingestProcessor, ingestStage } from './ingest/ingest-stage.ts';
import { migrations } from './migrations.ts';
import { statisticsOperations } from './operations/index.ts';
import { sendOwnEvents } from './own/own-events.ts';
import { runStatistics } from './run-statistics.ts';
import { statisticsSection } from './settings.ts';
import { StatisticsState, statisticsOf } from './statistics.ts';

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
