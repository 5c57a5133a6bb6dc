import { hostname } from 'node:os';
import { sayAlert } from '../../alert/sentences.ts';
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
          const reason = sayAlert('disk.full-server', { server, stores });
          return { entity: `${host}:${server}`, reason, details: { host, server, stores } };
        }
        const [freeMb = 0, reserveMb = 0] = [freeBytes, reserveBytes].map((bytes) =>
          Math.floor(bytes / 2 ** 20),
        );
        const place = `${host}:${directory}`;
        const reason = sayAlert('disk.full', { place, freeMb, reserveMb });
        return {
          entity: place,
          reason,
          details: { host, directory, stores, freeMb, reserveMb },
        };
      });
    },
  };
}
