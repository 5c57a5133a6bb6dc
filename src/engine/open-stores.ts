import type { Blobs } from './blobs/blobs.ts';
import { openBlobs } from './blobs/open.ts';
import type { Broker } from './broker/broker.ts';
import { openBroker } from './broker/open.ts';
import type { Coordination } from './coordination/coordination.ts';
import type { Database } from './database/database.ts';
import { openDatabase } from './database/open.ts';
import type { ChangeLog } from './event/change-log.ts';
import type { LoadedHouse } from './house.ts';
import type { ProcessorRegistration } from './processor/processor.ts';
import type { Processors } from './processor/processors.ts';
import { registerProcessors } from './register-processors.ts';
import type { Settings } from './settings/settings.ts';
import { handlingLimitMs } from './stage/handling-limit.ts';
import { createStages, type Stages } from './stage/stages.ts';
import type { Clock } from './time/clock.ts';
import { takeWorkersOff } from './worker/worker-record.ts';

/** Shared by `up`, commands and remote workers: each is built from these two functions. */
export interface Stores {
  database: Database;
  blobs: Blobs;
  broker: Broker;
}

/** Opens the adapters that the URLs name, and adds their closing to `closing`. */
export async function openStores(
  urls: Pick<Settings, 'database' | 'blobs' | 'broker'>,
  options: {
    clock: Clock;
    houses: readonly LoadedHouse[];
    closing: (() => unknown)[];
    /** The file of an embedded database. */
    databaseFile?: string;
    queuesFile?: string;
    /** Don't change the schema; fail if it is incomplete. */
    onlyCheckSchema?: boolean;
  },
): Promise<Stores> {
  const { clock, houses, closing, databaseFile = '', queuesFile = '', onlyCheckSchema = false } = options;
  const lines = houses.map(({ name, migrations = [] }) => ({ name, migrations }));
  const database = await openDatabase(urls.database, {
    file: databaseFile,
    clock,
    lines,
    onlyCheck: onlyCheckSchema,
  });
  closing.push(() => database.close());
  const blobs = await openBlobs(urls.blobs);
  closing.push(() => blobs.close());
  const broker = await openBroker(urls.broker, { file: queuesFile, clock });
  closing.push(() => broker.close());
  return { database, blobs, broker };
}

/** The processors of the engine, houses and settings, and the stages that use them. */
export function defineWork(
  parts: Stores & {
    coordination: Coordination;
    settings: Settings;
    clock: Clock;
    changes: ChangeLog;
    houses: readonly LoadedHouse[];
    more?: readonly ProcessorRegistration[] | undefined;
  },
): { processors: Processors; stages: Stages } {
  const { settings, houses, more = [] } = parts;
  const ofHouses = houses.flatMap(({ processors: own = [] }) =>
    typeof own === 'function' ? own(parts) : own,
  );
  const processors = registerProcessors({ ...parts, more: [...ofHouses, ...more] });
  const stages = createStages({
    ...parts,
    processors,
    handlingLimitMs: handlingLimitMs(settings),
    takeWorkersOff: (stage) => takeWorkersOff(parts.coordination, stage),
  });
  return { processors, stages };
}
