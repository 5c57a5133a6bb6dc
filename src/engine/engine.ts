import type { Logger } from 'pino';
import type { Alerts } from './alert/alert.ts';
import type { Backlog } from './backlog/backlog.ts';
import type { Blobs } from './blobs/blobs.ts';
import type { Broker } from './broker/broker.ts';
import type { Coordination } from './coordination/coordination.ts';
import type { DataDirectory } from './data-directory/data-directory.ts';
import type { Database } from './database/database.ts';
import type { DiskReserve } from './disk/disk-reserve.ts';
import type { ChangeLog } from './event/change-log.ts';
import type { Events } from './event/event.ts';
import type { ClockWatch } from './health/clock-watch.ts';
import type { HouseState, LoadedHouse } from './house.ts';
import type { Random } from './identity.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { Processors } from './processor/processors.ts';
import type { Cancellations } from './request/cancellations.ts';
import type { OpenRequests } from './request/open-requests.ts';
import type { Pickup } from './results/pickup.ts';
import type { Schedules } from './schedule/schedules.ts';
import type { Settings } from './settings/settings.ts';
import type { Pipelines } from './stage/pipelines.ts';
import type { Stages } from './stage/stages.ts';
import type { Clock } from './time/clock.ts';
import type { WorkerSet } from './worker/worker-set.ts';

/** Everything that houses, operations and services work with. Made by `open-engine.ts`. */
export interface Engine {
  readonly settings: Settings;
  readonly clock: Clock;
  /** Notices when the clock jumps, and tells what is old enough to be deleted. */
  readonly clockWatch: ClockWatch;
  readonly random: Random;
  readonly log: Logger;
  readonly directory: DataDirectory;
  readonly houses: readonly LoadedHouse[];
  /** What houses keep while the engine is open. Read it with `stateOf`. */
  readonly states: readonly HouseState[];
  /** The settings file in use, if any: backups take it along. */
  readonly configurationFile?: string | undefined;

  readonly broker: Broker;
  readonly coordination: Coordination;
  readonly database: Database;
  readonly blobs: Blobs;
  readonly disk: DiskReserve;

  readonly processors: Processors;
  readonly stages: Stages;
  readonly pipelines: Pipelines;
  readonly events: Events;
  readonly outbox: Outbox;
  readonly backlog: Backlog;
  readonly cancellations: Cancellations;
  readonly openRequests: OpenRequests;
  readonly alerts: Alerts;
  readonly changes: ChangeLog;
  readonly schedules: Schedules;
  readonly pickup: Pickup;
  readonly workers: WorkerSet;

  /** Opens a coordination session: every worker and every service has its own. */
  openSession(identity: string): Promise<Coordination>;
  /** Resolves to whether all parts ended in time: absent servers may keep some from it. */
  close(): Promise<boolean>;
}
