import type { z } from 'zod';
import type { Alerts } from '../alert/alert.ts';
import type { AuditTrail } from '../audit/audit.ts';
import type { Backlog } from '../backlog/backlog.ts';
import type { HouseWithBlobs } from '../blob-owners/blob-access.ts';
import type { ChangeLog } from '../event/change-log.ts';
import type { Events } from '../event/event.ts';
import type { Callable, Caller } from '../ground/caller.ts';
import type { Metric } from '../ground/metric.ts';
import type { StoreWrites } from '../health/check-stores.ts';
import type { ClockWatch } from '../health/clock-watch.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Ports } from '../ports/ports.ts';
import type { BusyWatch } from '../process/busy-watch.ts';
import type { Processors } from '../processor/processors.ts';
import type { HouseWithLimits } from '../request/admit.ts';
import type { Cancellations } from '../request/cancellations.ts';
import type { OpenRequests } from '../request/open-requests.ts';
import type { Pickup } from '../results/pickup.ts';
import type { Reported } from '../sample/measured.ts';
import type { Progress } from '../sample/sample.ts';
import type { Samples } from '../sample/samples.ts';
import type { Schedules } from '../schedule/schedules.ts';
import type { Pipelines } from '../stage/pipelines.ts';
import type { Stages } from '../stage/stages.ts';
import type { CallTurns } from '../turns/call-turns.ts';
import type { FinishingUploads } from '../upload/finish-upload.ts';
import type { WorkerSet } from '../worker/worker-set.ts';

/** Everything that houses, operations and services work with. Made by `open-engine.ts`. */
export interface Engine extends Ports {
  /** Notices clock jumps, and decides what is old enough to be deleted. */
  readonly clockWatch: ClockWatch;
  readonly houses: readonly OpenHouse[];
  /** What houses keep while the engine is open. Read it with `stateOf`. */
  readonly states: readonly HouseState[];
  /** The settings file in use, if any; backups include it. */
  readonly configurationFile?: string | undefined;
  /** Where each setting comes from: `default`, `pismak.toml:12`, `environment PISMAK_X`, `command line --x`. */
  readonly settingOrigins: ReadonlyMap<string, string>;

  readonly processors: Processors;
  readonly stages: Stages;
  readonly pipelines: Pipelines;
  readonly events: Events;
  readonly outbox: Outbox;
  readonly backlog: Backlog;
  readonly cancellations: Cancellations;
  readonly openRequests: OpenRequests;
  readonly finishingUploads: FinishingUploads;
  readonly alerts: Alerts;
  readonly changes: ChangeLog;
  readonly samples: Samples;
  readonly schedules: Schedules;
  readonly pickup: Pickup;
  readonly workers: WorkerSet;

  readonly audit: AuditTrail;
  readonly callTurns: CallTurns;
  readonly busyWatch: BusyWatch;
  readonly storeWrites: StoreWrites;

  /** Resolves to whether all parts ended in time; unreachable servers may prevent some from doing so. */
  close(): Promise<boolean>;
}

/** What the engine asks of a house while it is open. The rest of what a house brings is in `HouseParts` (house.ts). */
export interface OpenHouse extends HouseWithBlobs, HouseWithLimits {
  /** Its section of the settings. */
  readonly settings?: z.ZodObject;
  /**
   * Asked before a user is deleted: refuses by throwing, or resolves to what erases everything that the house has recorded about the
   * user. The erasure runs after sign-in is blocked and before the account is deleted; it may be repeated. What the user owns stays.
   */
  forgetUser?(engine: Engine, user: string): Promise<(signal: AbortSignal) => Promise<unknown>>;
  /** What may be called; `HouseParts` has the declarations. */
  readonly operations?: readonly Callable[];
  /** The metrics that this caller sees in `/metrics`; names begin with `pismak_` and the house's name. Called often: keep it cheap. */
  metrics?(engine: Engine, caller: Caller): Promise<Metric[]>;
  /** How far its long work has come, for those who watch: asked every two seconds by one process of the cluster, so keep it cheap. */
  progress?(engine: Engine): Promise<Progress[]>;
  /** Series for the history; names begin with the house's name and a dot. Asked every ten seconds by one process of the cluster. */
  series?(engine: Engine): Promise<Reported[]>;
}

/** The house's state for this engine, see `HouseParts.open`. */
export interface HouseState {
  close(): unknown;
}
