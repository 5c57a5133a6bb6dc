import { join } from 'node:path';
import { LoadCheck } from '../processor/load-check.ts';
import { ProcessSource } from '../processor/process-source.ts';
import type { Clock } from '../time/clock.ts';

/** Shared by all workers of this Pismak process: the source of processes, and the stages known to load. */
export interface CommonProcesses {
  source: ProcessSource;
  loadCheck: LoadCheck;
  /** Workers may be started again afterwards. */
  close(): Promise<void>;
}

export function createCommonProcesses(parts: { clock: Clock; cacheDirectory: string }): CommonProcesses {
  const { clock } = parts;
  const source = new ProcessSource({ clock, inputs: join(parts.cacheDirectory, 'inputs') });
  const loadCheck = new LoadCheck({ source, clock });
  return {
    source,
    loadCheck,
    async close() {
      await Promise.all([source.close(), loadCheck.close()]);
    },
  };
}
