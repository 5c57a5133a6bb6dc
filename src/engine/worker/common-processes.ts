import { LoadCheck } from '../processor/load-check.ts';
import { ProcessSource } from '../processor/process-source.ts';
import type { Clock } from '../time/clock.ts';

/** What all workers of this Pismak process share: where processes come from, and which stages are known to load. */
export interface CommonProcesses {
  source: ProcessSource;
  loadCheck: LoadCheck;
  /** Workers may be started again afterwards. */
  close(): Promise<void>;
}

export function createCommonProcesses({ clock }: { clock: Clock }): CommonProcesses {
  const source = new ProcessSource({ clock });
  const loadCheck = new LoadCheck({ source, clock });
  return {
    source,
    loadCheck,
    async close() {
      await Promise.all([source.close(), loadCheck.close()]);
    },
  };
}
