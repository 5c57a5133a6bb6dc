import type { HouseParts } from '../engine/house.ts';
import { aboutPage } from './about-page.ts';
import { crawls } from './database/0001-crawls.ts';
import { revisits } from './database/0002-revisits.ts';
import { scans } from './database/0003-scans.ts';
import { robotMetrics } from './metrics.ts';
import { robotOperations } from './operations/index.ts';
import { robotProgress, robotSeries } from './progress.ts';
import { runRobot } from './run-robot.ts';

/** The parts of this house that a running engine needs. */
export const parts: HouseParts = {
  migrations: [crawls, revisits, scans],
  operations: robotOperations,
  pages: [aboutPage],
  metrics: robotMetrics,
  progress: robotProgress,
  series: robotSeries,
  async forgetUser(engine, user) {
    const { stopCrawlsOf } = await import('./crawl/crawls.ts');
    return () => stopCrawlsOf(engine, user);
  },
  run: runRobot,
};
