import { hostname } from 'node:os';
import type { DiskReserve } from '../../disk/disk-reserve.ts';
import type { Check } from './check.ts';

/** Disks whose reserve is in use, so that new work is refused. */
export function fullDisk(disk: DiskReserve, host = hostname()): Check {
  return {
    kind: 'disk.full',
    isMine: (entity) => entity.startsWith(`${host}:`),
    async look() {
      return disk.shortages().map(({ directory, stores, server, freeBytes, reserveBytes }) => {
        if (server !== undefined) {
          const reason = `the disk of PostgreSQL at ${server} is full (53100): it stores nothing more for the ${stores.join(' and the ')}, uploads and new requests are refused (disk-full), and accepted work waits until space is freed there or the disk grows`;
          return { entity: `${host}:${server}`, reason, details: { host, server, stores } };
        }
        const [freeMb, reserveMb] = [freeBytes, reserveBytes].map((bytes) => Math.floor(bytes / 2 ** 20));
        const reason = `only ${freeMb} MB are free on the disk of ${host}:${directory}, less than the reserve of ${reserveMb} MB: uploads and new requests are refused (disk-full) until something is deleted or the disk grows`;
        return {
          entity: `${host}:${directory}`,
          reason,
          details: { host, directory, stores, freeMb, reserveMb },
        };
      });
    },
  };
}
