import { type House, loadHouses } from '../../engine/house.ts';
import { openEngine } from '../../engine/open-engine.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import { startWork } from '../../server/system.ts';
import type { Client } from '../../terminal/client/client.ts';
import { engineClient } from './engine-client.ts';

/** Runs all work in this process, for this command only: engine, services and workers, but no server. */
export async function openEmbeddedWork(
  settings: Settings,
  options: { purpose: string; workers: number; houses: readonly House[]; signal: AbortSignal },
): Promise<Client> {
  const { purpose, workers, signal } = options;
  const engine = await openEngine(settings, { purpose, houses: await loadHouses(options.houses) });
  try {
    const work = await startWork(engine, workers);
    return {
      ...engineClient(engine, signal),
      async close() {
        await work.close();
        await engine.close();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
