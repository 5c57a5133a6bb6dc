import type { Logger } from 'pino';
import type { Blobs } from '../blobs/blobs.ts';
import type { Broker } from '../broker/broker.ts';
import type { Coordination } from '../coordination/coordination.ts';
import type { DataDirectory } from '../data-directory/data-directory.ts';
import type { Database } from '../database/database.ts';
import type { DiskReserve } from '../disk/disk-reserve.ts';
import type { Random } from '../ground/identity.ts';
import type { Settings } from '../settings/settings.ts';
import type { Clock } from '../time/clock.ts';

/** The base of the engine: four stores, the disk under them, and the clock and randomness that tests control. */
export interface Ports {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly directory: DataDirectory;

  readonly broker: Broker;
  readonly coordination: Coordination;
  readonly database: Database;
  readonly blobs: Blobs;
  readonly disk: DiskReserve;

  /** Opens a coordination session: each worker and each service has its own. */
  openSession(identity: string): Promise<Coordination>;
}
