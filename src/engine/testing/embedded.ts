import { join } from 'node:path';
import { pino } from 'pino';
import { AuditTrail } from '../audit/audit.ts';
import { createBacklog } from '../backlog/backlog.ts';
import { openDirectoryBlobs } from '../blobs/directory.ts';
import { openSqliteBroker } from '../broker/sqlite.ts';
import { openEmbeddedCoordination } from '../coordination/embedded.ts';
import { engineMigrations } from '../database/open.ts';
import { openSqliteDatabase } from '../database/sqlite.ts';
import { type DiskReserve, unlimitedDisk } from '../disk/disk-reserve.ts';
import { createChangeLog } from '../event/change-log.ts';
import { createEvents } from '../event/event.ts';
import { StoreWrites } from '../health/check-stores.ts';
import type { LoadedHouse } from '../house.ts';
import { BusyWatch } from '../process/busy-watch.ts';
import { createProcessors } from '../processor/processors.ts';
import { createCancellations } from '../request/cancellations.ts';
import { createOpenRequests } from '../request/open-requests.ts';
import { settingsSchema } from '../settings/settings.ts';
import { createPipelines } from '../stage/pipelines.ts';
import { createStages } from '../stage/stages.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { createCallTurns } from '../turns/call-turns.ts';
import { takeWorkersOff } from '../worker/worker-record.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/**
 * The embedded tier in its own directory, with the engine's parts on it but without workers and services. Closed at the
 * end of the test.
 */
export async function openEmbedded(
  test: { after(work: () => Promise<void>): void },
  options: { clock?: Clock; directory?: string } = {},
) {
  const clock = options.clock ?? systemClock;
  const directory = options.directory ?? (await temporaryDirectory(test));
  const database = await openSqliteDatabase({ file: join(directory, 'state.db'), clock });
  await database.migrate(engineMigrations);
  const broker = await openSqliteBroker({ file: join(directory, 'queues.db'), clock });
  const blobs = await openDirectoryBlobs(join(directory, 'blobs'));
  const tree = await openEmbeddedCoordination({ database, clock });
  const coordination = await tree.openSession('test');
  test.after(async () => {
    await tree.close();
    await Promise.all([broker.close(), blobs.close(), database.close()]);
  });

  const ports = { broker, coordination, database, blobs };
  const changes = createChangeLog(clock);
  const processors = createProcessors();
  processors.register({ name: 'nothing', summary: 'Does nothing', inline: async () => async () => {} });
  const stages = createStages({
    ...ports,
    processors,
    changes,
    clock,
    takeWorkersOff: (stage) => takeWorkersOff(coordination, stage),
  });
  const settings = settingsSchema.parse({ data: directory });
  const log = pino({ level: 'silent' });
  return {
    ...ports,
    tree,
    openSession: (identity: string) => tree.openSession(identity),
    disk: unlimitedDisk as DiskReserve,
    houses: [] as LoadedHouse[],
    states: [],
    directory,
    clock,
    random: Math.random,
    log,
    audit: new AuditTrail({ database, clock, log }),
    callTurns: createCallTurns(),
    busyWatch: new BusyWatch(),
    storeWrites: new StoreWrites(),
    changes,
    events: createEvents(),
    processors,
    stages,
    backlog: createBacklog({ ...ports, clock }),
    pipelines: createPipelines({ ...ports, stages, changes, clock }),
    cancellations: createCancellations({ ...ports, clock, stages }),
    openRequests: createOpenRequests({ ...ports, clock, settings }),
    finishingUploads: new Map(),
    settings,
  };
}

export type Embedded = Awaited<ReturnType<typeof openEmbedded>>;
