import type { Operation } from '../operation.ts';
import { alertOperations } from './alert.ts';
import { backupOperations } from './backup.ts';
import { clockOperations } from './clock.ts';
import { coordinationOperations } from './coordination.ts';
import { eventOperations } from './event.ts';
import { historyOperations } from './history.ts';
import { pipelineOperations } from './pipeline.ts';
import { processorOperations } from './processor.ts';
import { queueOperations } from './queue.ts';
import { requestOperations } from './request.ts';
import { resultsOperations } from './results.ts';
import { scheduleOperations } from './schedule.ts';
import { secretOperations } from './secret.ts';
import { serverOperations } from './server.ts';
import { settingsOperations } from './settings.ts';
import { simulateOperations } from './simulate.ts';
import { stageOperations } from './stage.ts';
import { stageTryOperations } from './stage-try.ts';
import { statusOperations } from './status.ts';
import { systemOperations } from './system.ts';
import { traceOperations } from './trace.ts';
import { uploadOperations } from './upload.ts';
import { watchdogOperations } from './watchdog.ts';
import { workerOperations } from './worker.ts';

/** All operations of the engine itself. */
export const engineOperations: Operation[] = [
  ...statusOperations,
  ...processorOperations,
  ...stageOperations,
  ...stageTryOperations,
  ...pipelineOperations,
  ...queueOperations,
  ...workerOperations,
  ...watchdogOperations,
  ...simulateOperations,
  ...traceOperations,
  ...historyOperations,
  ...uploadOperations,
  ...requestOperations,
  ...resultsOperations,
  ...scheduleOperations,
  ...alertOperations,
  ...eventOperations,
  ...secretOperations,
  ...coordinationOperations,
  ...serverOperations,
  ...backupOperations,
  ...settingsOperations,
  ...systemOperations,
  ...clockOperations,
];
