import type { HouseParts } from '../engine/house.ts';
import { createTables } from './migrations.ts';
import { statisticsOperations } from './operations/index.ts';
import { runStatistics } from './run-statistics.ts';

/** The parts of this house that a running engine needs. */
export const parts: HouseParts = {
  migrations: [createTables],
  operations: statisticsOperations,
  run: runStatistics,
};
