import type { Logger } from 'pino';
import type { Blobs } from './blobs/blobs.ts';
import type { Broker } from './broker/broker.ts';
import type { Coordination } from './coordination/coordination.ts';
import type { DataDirectory } from './data-directory/data-directory.ts';
import type { Database } from './database/database.ts';
import type { DiskReserve } from './disk/disk-reserve.ts';
import type { Random } from './identity.ts';
import type { Settings } from './settings/settings.ts';
import type { Clock } from './time/clock.ts';

/** The part of an engine on which everything above stands: four stores, the disk under them, and what code needs to be tested. */
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

  /** Opens a coordination session: every worker and every service has its own. */
  openSession(identity: string): Promise<Coordination>;
}
