import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openBlobs } from '../blobs/open.ts';
import { openBroker } from '../broker/open.ts';
import { type CoordinationSource, openCoordination } from '../coordination/open.ts';
import { openDatabase } from '../database/open.ts';
import { messageOf } from '../errors.ts';
import { createChangeLog } from '../event/change-log.ts';
import { createEvents } from '../event/event.ts';
import type { Random } from '../identity.ts';
import type { ProcessorRegistration } from '../processor/processor.ts';
import { registerProcessors } from '../processor/register.ts';
import { type ServerAddresses, watchServers } from '../servers/server-addresses.ts';
import type { Settings } from '../settings/settings.ts';
import { createStages } from '../stage/stages.ts';
import { type Clock, sleep } from '../time/clock.ts';
import { closeInOrder, closeLimitMs } from '../time/close-in-order.ts';
import { createCommonProcesses } from './common-processes.ts';
import { Worker } from './worker.ts';

export interface WorkerProcess {
  id: string;
  /** Lets what was begun finish, then stops. */
  close(): Promise<void>;
}

/** Between two attempts to reach servers that don't answer. */
const againMs = 2_000;

/**
 * A worker that was given nothing but the address of the coordination: where the other servers are it reads there, and
 * when that changes it finishes its messages and goes on with the new ones.
 */
export function startWorkerProcess(parts: {
  settings: Settings;
  clock: Clock;
  random: Random;
  log: Logger;
  id?: string | undefined;
  labels?: readonly string[] | undefined;
  /** Of the houses. */
  processors?: readonly ProcessorRegistration[];
}): WorkerProcess {
  const { settings, clock, log } = parts;
  const id = parts.id ?? `${hostname()}-${process.pid}`;
  const stop = new AbortController();
  const commonProcesses = createCommonProcesses(parts);

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await followAddresses();
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'the servers cannot be reached; trying again');
        await sleep(clock, againMs, stop.signal);
      }
    }
  }

  /** One session with the coordination: serves with the addresses of the moment, until one changes or it is lost. */
  async function followAddresses(): Promise<void> {
    const source = await openCoordination(settings.coordination, { clock });
    try {
      const session = await source.openSession(`${id}-addresses`);
      let latest: ServerAddresses | undefined;
      let known = false;
      let changed = () => {};
      const unwatch = watchServers(session, (addresses) => {
        latest = addresses;
        known = true;
        changed();
      });
      try {
        while (!stop.signal.aborted && !session.lost.aborted) {
          const news = new Promise<void>((resolve) => {
            changed = resolve;
          });
          const addresses = latest;
          const ended = until(news, stop.signal, session.lost);
          if (!addresses) {
            if (known) log.info('waiting until the addresses of the servers are known (pismak server set)');
            await ended;
          } else await serve(addresses, (identity) => source.openSession(identity), ended);
        }
      } finally {
        unwatch();
      }
    } finally {
      await source.close();
    }
  }

  async function serve(
    addresses: ServerAddresses,
    openSession: CoordinationSource['openSession'],
    ended: Promise<void>,
  ): Promise<void> {
    const closing: (() => Promise<unknown>)[] = [];
    try {
      const cacheDirectory = join(settings.data, 'cache');
      await mkdir(cacheDirectory, { recursive: true, mode: 0o700 });
      const nowhere = { file: '', clock };
      const database = await openDatabase(addresses.database, nowhere);
      closing.push(() => database.close());
      const blobs = await openBlobs(addresses.blobs);
      closing.push(() => blobs.close());
      const broker = await openBroker(addresses.broker, nowhere);
      closing.push(() => broker.close());
      const coordination = await openSession(`${id}-stages`);
      const changes = createChangeLog(clock);
      const processors = registerProcessors({ settings, clock, database, more: parts.processors });
      const stages = createStages({ broker, coordination, database, processors, changes, clock });
      const worker = new Worker(
        {
          ...{
            broker,
            blobs,
            database,
            clock,
            log,
            processors,
            stages,
            settings,
            cacheDirectory,
            openSession,
            commonProcesses,
          },
          random: parts.random,
          events: createEvents(),
          blobsUrl: addresses.blobs,
        },
        { id, labels: parts.labels ?? settings.worker.labels },
      );
      closing.push(() => worker.close());
      commonProcesses.source.keepSpare();
      await worker.start();
      await ended;
    } finally {
      await closeInOrder(clock, closeLimitMs(settings), closing).catch((error: unknown) =>
        log.warn({ error: messageOf(error) }, 'not closed in good order'),
      );
    }
  }

  const running = run();
  return {
    id,
    async close() {
      stop.abort();
      await running;
      await commonProcesses.close();
    },
  };
}

function until(news: Promise<void>, ...signals: AbortSignal[]): Promise<void> {
  const aborted = signals.map(
    (signal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      }),
  );
  return Promise.race([news, ...aborted]);
}
