import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { sayAlert } from '../../alert/sentences.ts';
import type { Check } from './check.ts';

/** Checks that the disk of the data directory has at least `limitMb` free. */
export function lowDisk(directory: string, limitMb: number, host = hostname()): Check {
  const entity = `${host}:${resolve(directory)}`;
  return {
    kind: 'disk.low',
    isMine: (other) => other === entity,
    async look() {
      const { bavail, bsize } = await statfs(directory);
      const free = Math.floor((bavail * bsize) / 1024 / 1024);
      if (free >= limitMb) return [];
      const reason = sayAlert('disk.low', { place: entity, freeMb: free });
      return [{ entity, reason, details: { host, directory: resolve(directory), freeMb: free } }];
    },
  };
}
