import type { Logger } from 'pino';
import type { Blobs } from '../blobs/blobs.ts';
import type { Broker } from '../broker/broker.ts';
import type { Coordination } from '../coordination/coordination.ts';
import type { Database } from '../database/database.ts';
import type { DiskReserve } from '../disk/disk-reserve.ts';
import type { Events } from '../event/event.ts';
import type { Random } from '../ground/identity.ts';
import type { Processors } from '../processor/processors.ts';
import type { Settings } from '../settings/settings.ts';
import type { Stages } from '../stage/stages.ts';
import type { Clock } from '../time/clock.ts';
import type { CancelledWork } from './cancelled-work.ts';
import type { CommonProcesses } from './common-processes.ts';

/** The parts of the engine that a worker uses. */
export interface WorkerParts {
  broker: Broker;
  blobs: Blobs;
  database: Database;
  disk: DiskReserve;
  clock: Clock;
  random: Random;
  events: Events;
  log: Logger;
  processors: Processors;
  stages: Stages;
  settings: Settings;
  /** Where the blobs are, which processors must not see. */
  blobsUrl: string;
  /** This machine's copies of the files of stages, and the bytes that processors are given. */
  cacheDirectory: string;
  /** The file of the settings, which processors must not read. */
  configurationFile?: string | undefined;
  /** Shared by all workers of this Pismak process; a worker without it has its own, and no spare process. */
  commonProcesses?: CommonProcesses;
  /** Also shared: the list of cancelled work. */
  cancelledWork?: CancelledWork;
  openSession(identity: string): Promise<Coordination>;
}
