import { rm } from 'node:fs/promises';
import type { Logger } from 'pino';
import { createAlerts } from './alert/alert.ts';
import { AuditTrail } from './audit/audit.ts';
import { createBacklog } from './backlog/backlog.ts';
import type { Engine, HouseState } from './composition/engine.ts';
import { openLastingSession } from './coordination/lasting-session.ts';
import { type CoordinationSource, openCoordination } from './coordination/open.ts';
import { openDataDirectory } from './data-directory/data-directory.ts';
import { checkFiles } from './database/sqlite/check-start.ts';
import { Ballast } from './disk/ballast.ts';
import { createDiskReserve, localDisks, serverDisks } from './disk/disk-reserve.ts';
import { createEvents } from './event/event.ts';
import { openChanges } from './event/open-changes.ts';
import { hasCode, PismakError } from './ground/errors.ts';
import type { Random } from './ground/identity.ts';
import { StoreWrites } from './health/check-stores.ts';
import { type ClockWatch, watchClock } from './health/clock-watch.ts';
import type { LoadedHouse } from './house.ts';
import { openLog } from './log/log.ts';
import { defineWork, openStores } from './open-stores.ts';
import { createOutbox } from './outbox/outbox.ts';
import { BusyWatch } from './process/busy-watch.ts';
import type { ProcessorRegistration } from './processor/processor.ts';
import { createCancellations } from './request/cancellations.ts';
import { createOpenRequests } from './request/open-requests.ts';
import { createPickup } from './results/pickup.ts';
import { createSamples } from './sample/samples.ts';
import { keepHouse } from './schedule/housekeeping.ts';
import { createSchedules } from './schedule/schedules.ts';
import { announceServers } from './servers/server-addresses.ts';
import type { Settings } from './settings/settings.ts';
import { createPipelines } from './stage/pipelines.ts';
import { type Clock, systemClock } from './time/clock.ts';
import { closeInOrder, closeMs, drain } from './time/close-in-order.ts';
import { createCallTurns } from './turns/call-turns.ts';
import { alertWebhooks } from './webhook/alert-webhooks.ts';
import { alertWebhookStage, webhookStage } from './webhook/webhook.ts';
import { trialsDirectory } from './worker/try-stages.ts';
import { createWorkerSet, type WorkerSet } from './worker/worker-set.ts';

export interface EngineOptions {
  /** What this process does, in a word or two; shown to another process that finds the data directory in use. */
  purpose: string;
  clock?: Clock;
  random?: Random;
  /** The file that the settings came from, if any. */
  configurationFile?: string | undefined;
  /** Where each setting comes from, see `LoadedSettings`; by default, all are defaults. */
  settingOrigins?: ReadonlyMap<string, string> | undefined;
  houses?: readonly LoadedHouse[];
  /** Additional processors, besides those of the houses. */
  processors?: readonly ProcessorRegistration[];
  /** Where log lines go besides the log file. Default: nowhere. */
  console?: (line: string) => void;
}

/** An engine and everything its houses added. */
export interface OpenedEngine extends Engine {
  readonly houses: readonly LoadedHouse[];
}

/** Takes the data directory, opens the adapters that the settings name, and builds the engine on them. */
export async function openEngine(settings: Settings, options: EngineOptions): Promise<OpenedEngine> {
  const { purpose, clock = systemClock, random = Math.random, houses = [] } = options;
  checkTogether(settings);
  // Everything opened is closed in reverse order, even if opening fails half-way.
  const closing: (() => unknown)[] = [];
  let running: WorkerSet | undefined;
  const close = async () => {
    const drained = running ? await drain(clock, settings, running) : true;
    return (await closeInOrder(clock, closeMs, closing)) && drained;
  };
  try {
    const directory = await openDataDirectory(settings.data, { purpose, clock });
    closing.push(() => directory.close());
    checkFiles([directory.databaseFile, directory.queuesFile]);
    const { logger: log, close: closeLog } = openLog({
      level: settings.log.level,
      file: `${directory.logs}/pismak.log`,
      ...(options.console ? { console: options.console } : {}),
    });
    closing.push(closeLog);

    const blobsUrl = settings.blobs === 'directory:' ? `directory:${directory.blobs}` : settings.blobs;
    const { database, blobs, broker } = await openStores(
      { ...settings, blobs: blobsUrl },
      { clock, houses, closing, databaseFile: directory.databaseFile, queuesFile: directory.queuesFile },
    );
    const source = await openCoordination(settings.coordination, { database, clock });
    closing.push(() => source.close());
    await protectNodes(source, settings, log);
    const coordination = await openLastingSession(source, 'engine');
    if (!settings.coordination.startsWith('embedded:')) await announceServers(coordination, settings);

    const ballast = new Ballast(`${directory.path}/ballast`);
    const disks = localDisks(settings).map((each) =>
      each.stores.includes('database') ? { ...each, ballast } : each,
    );
    const disk = createDiskReserve(settings.disk, disks, undefined, serverDisks(settings));
    const ports = { broker, coordination, database, blobs, disk };
    const changes = await openChanges({ database, clock, log, follow: true });
    closing.push(() => changes.close());
    const events = createEvents();
    const more = options.processors;
    const { processors, stages } = defineWork({ ...ports, settings, clock, changes, houses, more });
    await stages.reconcile();
    for (const stage of [webhookStage, alertWebhookStage])
      await stages.create(stage, 'local', { keepIfRefused: true }).catch((error: unknown) => {
        if (!hasCode(error, 'already-exists')) throw error;
      });
    const pipelines = createPipelines({ ...ports, stages, changes, clock });
    const outbox = createOutbox({ clock });
    let clockWatch: ClockWatch | undefined;
    const backlog = createBacklog({ broker, database, clock });
    const alerts = createAlerts({
      database,
      clock,
      changes,
      events,
      log,
      repeatMs: settings.alerts.repeatMs,
      subscribers: [
        alertWebhooks({ outbox, clock, urls: settings.alerts.webhooks }),
        async (transaction, notice) => {
          for (const house of houses)
            await house.onAlert?.({ backlog, clock, settings }, transaction, notice);
        },
      ],
      wakeOutbox: outbox.wake,
      retentionNow: () => clockWatch?.retention.now() ?? clock.now(),
    });
    clockWatch = await watchClock({ clock, database, broker, log, alerts });
    const watch = clockWatch;
    closing.push(() => watch.close());
    const cancellations = createCancellations({ ...ports, clock, stages });
    const openRequests = createOpenRequests({ ...ports, clock, settings });
    const schedules = createSchedules({ database, clock, changes });
    await keepHouse(schedules, { blobs, clock: watch.retention, database, disk, settings });
    const openSession = (identity: string) => source.openSession(identity);
    const samples = createSamples({ coordination, openSession, clock, log });
    closing.push(() => samples.close());
    const common = { ...ports, settings, clock, random, log, processors, stages, events, openSession };
    const workers = createWorkerSet({
      ...common,
      blobsUrl,
      cacheDirectory: directory.cache,
      configurationFile: options.configurationFile,
    });
    running = workers;
    await rm(trialsDirectory(directory.cache), { recursive: true, force: true });
    const pickup = createPickup({ broker, clock, database });
    closing.push(() => pickup.close());
    const busyWatch = new BusyWatch({ now: () => clock.now() });
    closing.push(() => busyWatch.close());
    const states: HouseState[] = [];
    const engine: OpenedEngine = {
      ...common,
      houses,
      states,
      clockWatch: watch,
      directory,
      configurationFile: options.configurationFile,
      settingOrigins: options.settingOrigins ?? new Map(),
      pipelines,
      changes,
      samples,
      outbox,
      backlog,
      cancellations,
      openRequests,
      finishingUploads: new Map(),
      alerts,
      schedules,
      workers,
      pickup,
      audit: new AuditTrail({ database, clock, log }),
      callTurns: createCallTurns(),
      busyWatch,
      storeWrites: new StoreWrites(),
      close,
    };
    for (const house of houses) {
      const state = house.open?.(engine);
      if (!state) continue;
      states.push(state);
      closing.push(() => state.close());
    }
    return engine;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Nodes hold the servers' addresses with their passwords, and assign stages to workers. */
async function protectNodes(source: CoordinationSource, settings: Settings, log: Logger): Promise<void> {
  if (!source.isOpenToAll) return source.closeToOthers?.();
  const danger =
    'everyone who reaches ZooKeeper could read the passwords of the other servers and control the workers';
  if (settings.zookeeper.allowOpenNodes)
    return log.warn(`\`coordination\` names no user: ${danger} (zookeeper.allowOpenNodes)`);
  throw new PismakError(
    'configuration-invalid',
    `\`coordination\` must name a user and a password, or ${danger}. Any will do, ZooKeeper needs no set-up for it: ` +
      'zookeeper://pismak:PASSWORD@HOST, the same for every process and worker. `zookeeper.allowOpenNodes = true` does without',
  );
}

/** With a shared database, embedded coordination would give each process a tree that knows nothing of the others. */
function checkTogether(settings: Settings): void {
  if (!settings.coordination.startsWith('embedded:') || settings.database.startsWith('sqlite:')) return;
  throw new PismakError(
    'configuration-invalid',
    'if the database is on a server, `coordination` must be too; use postgres: (the same server will do) or zookeeper:',
  );
}
