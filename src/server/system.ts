import { everythingChanged } from '../engine/event/change-log.ts';
import { type EngineOptions, type OpenedEngine, openEngine } from '../engine/open-engine.ts';
import { runServices } from '../engine/run-services.ts';
import type { Running } from '../engine/service/service.ts';
import type { Settings } from '../engine/settings/settings.ts';
import { applyFirstStart, demonstration } from '../engine/stage/first-start.ts';
import { closeInOrder, closeMs, drain } from '../engine/time/close-in-order.ts';
import { openServer, type Server } from './open-server.ts';
import { operationsOf } from './operations.ts';
import type { LifeState } from './routes/health.ts';

/** All parts of an installation in one process: engine, services, workers and the HTTP server. */
export interface System {
  readonly engine: OpenedEngine;
  readonly server: Server;
  /**
   * Lets workers finish their current work, then stops everything. The API answers until the end. Resolves to true if all
   * parts ended in time.
   */
  close(): Promise<boolean>;
}

export async function startSystem(settings: Settings, options: EngineOptions): Promise<System> {
  const engine = await openEngine(settings, options);
  let state: LifeState = 'starting';
  const closing: (() => Promise<unknown>)[] = [() => engine.close()];
  const close = async () => {
    state = 'stopping';
    // Stop workers first, because their current work may take long. Then the services and houses, the server and the engine.
    const drained = await drain(engine.clock, settings, engine.workers);
    return (await closeInOrder(engine.clock, closeMs, closing)) && drained;
  };
  try {
    await applyFirstStart(engine, 'engine', demonstration);
    // A process that was killed may have left its last changes untold, and one of the version before told them to its own clients only.
    engine.changes.add({ kind: everythingChanged, entity: '' });
    const server = await openServer(engine, operationsOf(engine.houses), { state: () => state });
    closing.push(() => server.close());
    await engine.directory.publishHolder({ url: server.localUrl, token: server.localToken });
    const work = await startWork(engine, settings.worker.count);
    closing.push(() => work.close());
    state = 'up';
    return { engine, server, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Services, houses and workers: everything that does the work. Closing lets workers finish their current work. */
export async function startWork(engine: OpenedEngine, workers: number): Promise<Running> {
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    await drain(engine.clock, engine.settings, engine.workers);
    await closeInOrder(engine.clock, closeMs, closing);
  };
  try {
    const services = runServices(engine);
    closing.push(() => services.close());
    for (const { name, firstStart, run } of engine.houses) {
      if (firstStart) await applyFirstStart(engine, name, firstStart);
      const house = await run?.(engine);
      if (house) closing.push(() => house.close());
    }
    for (let count = 0; count < workers; count++) await engine.workers.start();
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}
