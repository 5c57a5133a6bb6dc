import { createAlerts } from './alert/alert.ts';
import { createBacklog } from './backlog/backlog.ts';
import { openBlobs } from './blobs/open.ts';
import { openBroker } from './broker/open.ts';
import { openLastingSession } from './coordination/lasting-session.ts';
import { openCoordination } from './coordination/open.ts';
import { openDataDirectory } from './data-directory/data-directory.ts';
import { openDatabase } from './database/open.ts';
import type { Engine } from './engine.ts';
import { hasCode, PismakError } from './errors.ts';
import { createChangeLog } from './event/change-log.ts';
import { createEvents } from './event/event.ts';
import type { Random } from './identity.ts';
import { openLog } from './log/log.ts';
import { createOutbox } from './outbox/outbox.ts';
import type { ProcessorRegistration } from './processor/processor.ts';
import { registerProcessors } from './processor/register.ts';
import { createPickup } from './results/pickup.ts';
import { keepHouse } from './schedule/housekeeping.ts';
import { createSchedules } from './schedule/schedules.ts';
import { announceServers } from './servers/server-addresses.ts';
import type { Settings } from './settings/settings.ts';
import { handlingLimitMs } from './stage/handling-limit.ts';
import { createPipelines } from './stage/pipelines.ts';
import { createStages } from './stage/stages.ts';
import { type Clock, systemClock } from './time/clock.ts';
import { closeInOrder, closeLimitMs } from './time/close-in-order.ts';
import { alertWebhooks } from './webhook/alert-webhooks.ts';
import { webhookStage } from './webhook/webhook.ts';
import { createWorkerSet } from './worker/worker-set.ts';

export interface EngineOptions {
  /** What for, in a word or two: shown to whoever finds the data directory taken. */
  purpose: string;
  clock?: Clock;
  random?: Random;
  /** The settings file that the settings came from, if any. */
  configurationFile?: string | undefined;
  /** Of the houses. */
  processors?: readonly ProcessorRegistration[];
  /** Where log lines go besides the log file; nowhere unless given. */
  console?: (line: string) => void;
}

/** Takes the data directory, opens the adapters that the settings name, and puts the engine together on them. */
export async function openEngine(settings: Settings, options: EngineOptions): Promise<Engine> {
  const { purpose, clock = systemClock, random = Math.random } = options;
  checkTogether(settings);
  // What was opened is closed in the opposite order, also when opening fails half-way.
  const closing: (() => unknown)[] = [];
  const close = () => closeInOrder(clock, closeLimitMs(settings), closing);
  try {
    const directory = await openDataDirectory(settings.data, { purpose, clock });
    closing.push(() => directory.close());
    const { logger: log, close: closeLog } = openLog({
      level: settings.log.level,
      file: `${directory.logs}/pismak.log`,
      ...(options.console ? { console: options.console } : {}),
    });
    closing.push(closeLog);

    const database = await openDatabase(settings.database, { file: directory.databaseFile, clock });
    closing.push(() => database.close());
    const blobsUrl = settings.blobs === 'directory:' ? `directory:${directory.blobs}` : settings.blobs;
    const blobs = await openBlobs(blobsUrl);
    closing.push(() => blobs.close());
    const source = await openCoordination(settings.coordination, { database, clock });
    closing.push(() => source.close());
    const broker = await openBroker(settings.broker, { file: directory.queuesFile, clock });
    closing.push(() => broker.close());
    const coordination = await openLastingSession(source, 'engine');
    if (!settings.coordination.startsWith('embedded:')) await announceServers(coordination, settings);

    const ports = { broker, coordination, database, blobs };
    const changes = createChangeLog(clock);
    const events = createEvents();
    const processors = registerProcessors({ settings, clock, database, more: options.processors });
    const stages = createStages({
      ...{ ...ports, processors, changes, clock },
      handlingLimitMs: handlingLimitMs(settings),
    });
    await stages.reconcile();
    await stages.create(webhookStage, 'local').catch((error: unknown) => {
      if (!hasCode(error, 'already-exists')) throw error;
    });
    const pipelines = createPipelines({ ...ports, stages, changes, clock });
    const outbox = createOutbox({ clock });
    const alerts = createAlerts({
      ...{ database, clock, changes, events, log },
      repeatMs: settings.alerts.repeatMs,
      subscribers: [alertWebhooks({ outbox, clock, urls: settings.alerts.webhooks })],
      wakeOutbox: outbox.wake,
    });
    const backlog = createBacklog({ database, clock });
    const schedules = createSchedules({ database, clock, changes });
    await keepHouse(schedules, { blobs, clock, database });
    const openSession = (identity: string) => source.openSession(identity);
    const common = { ...ports, settings, clock, random, log, processors, stages, events, openSession };
    const workers = createWorkerSet({ ...common, blobsUrl, cacheDirectory: directory.cache });
    closing.push(() => workers.close());
    const pickup = createPickup({ broker, clock, database });
    closing.push(() => pickup.close());
    return {
      ...common,
      directory,
      configurationFile: options.configurationFile,
      pipelines,
      changes,
      outbox,
      backlog,
      alerts,
      schedules,
      workers,
      pickup,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Coordination inside one process, on a database that others use too, would be two that know nothing of each other. */
function checkTogether(settings: Settings): void {
  if (!settings.coordination.startsWith('embedded:') || settings.database.startsWith('sqlite:')) return;
  throw new PismakError(
    'configuration-invalid',
    'with a database on a server, `coordination` must be on a server too: postgres: (the same will do) or zookeeper:',
  );
}
