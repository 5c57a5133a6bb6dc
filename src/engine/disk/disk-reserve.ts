import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { PismakError } from '../ground/errors.ts';
import { sayRefusal } from '../ground/refusals.ts';
import type { Ballast } from './ballast.ts';
import { isFullServer } from './full-servers.ts';

/** Stores that may keep their data on a disk of this machine. */
export type LocalStore = 'broker' | 'database' | 'blobs';

/** A disk whose reserve has been touched, and the stores on it. */
export interface DiskShortage {
  /** Empty for a server. */
  directory: string;
  stores: LocalStore[];
  /** Host and database of a server that refused to store something: how much is free there, we can't see. */
  server?: string;
  freeBytes: number;
  reserveBytes: number;
}

/**
 * Disk space that writers may not use. SQLite needs space even to delete, so an installation that filled its disk could not
 * clean up by itself. Reads, acks and deletions go on; new work is refused with `disk-full`; accepted work goes on until
 * half of the reserve is used, and then waits.
 */
export interface DiskReserve {
  /** Throws `disk-full` if writing `bytes` would use the reserve. */
  check(bytes?: number): void;
  /** Passes content on, and fails if it would use the reserve. `announced` is its size, if known in advance. */
  bounded(content: AsyncIterable<Uint8Array>, announced?: number): AsyncIterable<Uint8Array>;
  /** Whether accepted work must wait. */
  readonly isShort: boolean;
  shortages(): DiskShortage[];
}

interface Disk {
  directory: string;
  stores: LocalStore[];
  ballast?: Ballast | undefined;
}

/** A PostgreSQL server, and the stores on it. */
interface ServerDisk {
  url: string;
  stores: LocalStore[];
}

/** Time between checks. A check costs microseconds, but there may be 70,000 messages a second. */
const keptMs = 200;
/** A stream is checked again after this many bytes. */
const stepBytes = 2 ** 20;

export function createDiskReserve(
  { reserveMb }: { reserveMb?: number | undefined },
  disks: readonly Disk[],
  look: typeof readDisk = readDisk,
  servers: readonly ServerDisk[] = [],
): DiskReserve {
  let seenAt = Number.NEGATIVE_INFINITY;
  let seen: (DiskShortage & { isTouched: boolean })[] = [];
  /** Bytes that current uploads have announced and not yet written. */
  let promised = 0;

  function all(): typeof seen {
    const now = performance.now();
    if (now - seenAt < keptMs) return seen;
    seenAt = now;
    seen = disks.map(({ ballast, ...disk }) => {
      const { freeBytes, totalBytes } = look(disk.directory);
      const reserveBytes = reserveMb === undefined ? defaultReserve(totalBytes) : reserveMb * 2 ** 20;
      ballast?.adjust({ freeBytes, reserveBytes });
      return { ...disk, freeBytes, reserveBytes, isTouched: freeBytes < reserveBytes };
    });
    return seen;
  }

  const fullServers = () => servers.filter(({ url }) => isFullServer(url));

  function check(bytes = 0): void {
    if (fullServers().length > 0) throw serverDiskFull();
    const short = all().some(({ freeBytes, reserveBytes }) => freeBytes - promised - bytes < reserveBytes);
    if (short) throw diskFull();
  }

  return {
    check,
    async *bounded(content, announced = 0) {
      check(announced);
      let remaining = announced;
      let unchecked = 0;
      promised += remaining;
      try {
        for await (const chunk of content) {
          const expected = Math.min(remaining, chunk.length);
          remaining -= expected;
          promised -= expected;
          unchecked += chunk.length;
          if (unchecked >= stepBytes) {
            seenAt = Number.NEGATIVE_INFINITY;
            check();
            unchecked = 0;
          }
          yield chunk;
        }
      } finally {
        promised -= remaining;
      }
    },
    get isShort() {
      return (
        fullServers().length > 0 || all().some(({ freeBytes, reserveBytes }) => freeBytes < reserveBytes / 2)
      );
    },
    shortages: () => [
      ...all().flatMap(({ isTouched, ...disk }) => (isTouched ? [disk] : [])),
      ...fullServers().map(({ url, stores }) => ({
        directory: '',
        stores,
        server: nameOf(url),
        freeBytes: 0,
        reserveBytes: 0,
      })),
    ],
  };
}

/** The disks of the stores that are not on servers. */
export function localDisks(settings: Readonly<Record<LocalStore | 'data', string>>): Disk[] {
  const { broker, database, blobs, data } = settings;
  const elsewhere = blobs.startsWith('directory:') ? blobs.slice('directory:'.length) : '';
  const inData: LocalStore[] = [];
  if (broker.startsWith('sqlite:')) inData.push('broker');
  if (database.startsWith('sqlite:')) inData.push('database');
  if (blobs === 'directory:') inData.push('blobs');
  return [
    ...(inData.length > 0 ? [{ directory: resolve(data), stores: inData }] : []),
    ...(elsewhere === '' ? [] : [{ directory: resolve(elsewhere), stores: ['blobs' as const] }]),
  ];
}

/** The PostgreSQL servers of the stores; several stores on one server count once. */
export function serverDisks(settings: Readonly<Record<LocalStore, string>>): ServerDisk[] {
  const stores = (['broker', 'database', 'blobs'] as const).filter((store) =>
    /^postgres(ql)?:/.test(settings[store]),
  );
  return [...Map.groupBy(stores, (store) => settings[store])].map(([url, on]) => ({ url, stores: on }));
}

/** For engines that have no disks to watch, and for tests. */
export const unlimitedDisk: DiskReserve = createDiskReserve({}, []);

/** The larger of 500 MB and 1 %; but at most a tenth of a small disk, or 5 GB of a large one. */
export function defaultReserve(totalBytes: number): number {
  return Math.min(Math.max(500e6, totalBytes / 100), totalBytes / 10, 5e9);
}

export function diskFull(cause?: unknown): PismakError {
  return new PismakError('disk-full', sayRefusal('failed.disk-full', {}), { cause });
}

/** A server refused: not the reserve of a disk of ours. */
export function serverDiskFull(cause?: unknown): PismakError {
  return new PismakError(
    'disk-full',
    'the disk of the PostgreSQL server is full, so nothing new is accepted; work waits and goes on when there is room. Ask the operator to free space there or to enlarge its disk (server error 53100)',
    { cause },
  );
}

/** Without the password. */
function nameOf(url: string): string {
  return /^\w+:\/\/(?:[^/]*@)?([^?]*)/.exec(url)?.[1] ?? '';
}

function readDisk(directory: string): { freeBytes: number; totalBytes: number } {
  let existing = directory;
  while (!existsSync(existing)) existing = dirname(existing);
  const { bavail, blocks, bsize } = statfsSync(existing);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
