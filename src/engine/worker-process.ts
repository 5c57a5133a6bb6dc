import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type CoordinationSource, openCoordination } from './coordination/open.ts';
import { createDiskReserve, localDisks, serverDisks } from './disk/disk-reserve.ts';
import { createEvents } from './event/event.ts';
import { openChanges } from './event/open-changes.ts';
import { hasCode, messageOf } from './ground/errors.ts';
import { newId, type Random } from './ground/identity.ts';
import type { LoadedHouse } from './house.ts';
import { QuietWarnings } from './log/quiet-warnings.ts';
import { defineWork, openStores } from './open-stores.ts';
import { type ServerAddresses, watchServers } from './servers/server-addresses.ts';
import type { Settings } from './settings/settings.ts';
import { type Clock, sleep } from './time/clock.ts';
import { closeInOrder, closeMs, drain } from './time/close-in-order.ts';
import { unlessAborted } from './time/deadline.ts';
import { createCommonProcesses } from './worker/common-processes.ts';
import { confineProcesses } from './worker/confine-processes.ts';
import { Worker } from './worker/worker.ts';

export interface WorkerProcess {
  id: string;
  /** Resolves when the worker has ended because it was told to (`worker stop`). */
  stopped: Promise<void>;
  /** Finishes the messages in progress, then stops. */
  close(): Promise<void>;
}

/** Time between two attempts to reach servers that don't answer. */
const againMs = 2_000;

/**
 * A worker that knows only the address of the coordination, and reads the addresses of the other servers there. When
 * they change, it finishes its messages and continues with the new servers.
 */
export function startWorkerProcess(parts: {
  settings: Settings;
  clock: Clock;
  random: Random;
  log: Logger;
  id?: string | undefined;
  labels?: readonly string[] | undefined;
  houses: readonly LoadedHouse[];
}): WorkerProcess {
  const { settings, clock, log } = parts;
  const id = parts.id ?? `${hostname()}-${process.pid}`;
  const stop = new AbortController();
  const commonProcesses = createCommonProcesses({ clock, cacheDirectory: join(settings.data, 'cache') });
  const warnings = new QuietWarnings(log, clock);
  const life = newId(clock);
  let hasWarned = false;
  let isTold = false;

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await followAddresses();
      } catch (error) {
        warnings.warn(
          hasCode(error, 'already-exists')
            ? 'the name of this worker is taken; waiting until it is free'
            : 'this worker cannot serve; trying again',
          error,
        );
        await sleep(clock, againMs, stop.signal);
      }
    }
  }

  /** One session with the coordination: serves with the current addresses until one changes or the session is lost. */
  async function followAddresses(): Promise<void> {
    const source = await openCoordination(settings.coordination, { clock });
    if (source.isOpenToAll && !hasWarned)
      log.warn('`coordination` names no user, so everyone can change what this worker does');
    hasWarned = true;
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
          const ended = unlessAborted(news, AbortSignal.any([stop.signal, session.lost])).catch(() => {});
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
    const closing: (() => unknown)[] = [];
    let running: Worker | undefined;
    try {
      const cacheDirectory = join(settings.data, 'cache');
      await mkdir(cacheDirectory, { recursive: true, mode: 0o700 });
      const { houses } = parts;
      // A worker's version may differ from that of `up`, and only `up` changes the schema.
      const stores = await openStores(addresses, { clock, houses, closing, onlyCheckSchema: true });
      const coordination = await openSession(`${id}-stages`);
      const changes = await openChanges({ database: stores.database, clock, log, follow: false });
      closing.push(() => changes.close());
      const work = defineWork({ ...stores, coordination, settings, clock, changes, houses });
      const disk = createDiskReserve(
        settings.disk,
        localDisks({ ...addresses, data: settings.data }),
        undefined,
        serverDisks(addresses),
      );
      const blobsUrl = addresses.blobs;
      const events = createEvents();
      for (const house of houses) {
        const beside = house.runBesideWorker?.({ ...stores, clock, log, settings, events });
        if (beside) closing.push(() => beside.close());
      }
      await confineProcesses(commonProcesses, { ...work, log, settings, cacheDirectory, blobsUrl });
      const worker = new Worker(
        {
          disk,
          ...stores,
          ...work,
          clock,
          log,
          settings,
          cacheDirectory,
          openSession,
          commonProcesses,
          random: parts.random,
          events,
          blobsUrl,
        },
        {
          id,
          labels: parts.labels ?? settings.worker.labels,
          life,
          onStop() {
            isTold = true;
            stop.abort();
          },
        },
      );
      running = worker;
      commonProcesses.source.keepSpare();
      await worker.start();
      warnings.end();
      await ended;
    } finally {
      if (running) await drain(clock, settings, running);
      await closeInOrder(clock, closeMs, closing).catch((error: unknown) =>
        log.warn({ error: messageOf(error) }, 'the worker could not close everything cleanly'),
      );
    }
  }

  const running = run();
  return {
    id,
    stopped: running.then(() => (isTold ? undefined : new Promise<never>(() => {}))),
    async close() {
      stop.abort();
      await running;
      await commonProcesses.close();
    },
  };
}
