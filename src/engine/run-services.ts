import { runBacklog } from './backlog/backlog-release.ts';
import { runErasure } from './blob-owners/blob-erasure.ts';
import type { Engine, OpenHouse } from './composition/engine.ts';
import { messageOf } from './ground/errors.ts';
import { runAlertWatch } from './health/alert-watch.ts';
import { runOutbox } from './outbox/outbox.ts';
import { runRequestLists } from './request/request-lists.ts';
import { submitRequest } from './request/submit.ts';
import { runSampler } from './sample/sampler.ts';
import { runScheduler } from './schedule/scheduler.ts';
import type { Running } from './service/service.ts';
import { runWatchdog } from './watchdog/watchdog.ts';
import { servingSlots } from './worker/serving-slots.ts';

/** The engine's own services: each elects one leader in the cluster, and this process is a candidate for all of them. */
export function runServices(engine: Engine): Running {
  const services = [
    runWatchdog(engine),
    runOutbox(engine),
    runBacklog({ ...engine, slots: servingSlots(engine) }),
    runErasure({ ...engine, clock: engine.clockWatch.retention }),
    runRequestLists(engine),
    runAlertWatch(engine),
    runSampler({
      ...engine,
      progress: () => fromHouses(engine, (house) => house.progress?.(engine)),
      reported: () => fromHouses(engine, (house) => house.series?.(engine)),
    }),
    runScheduler({
      ...engine,
      async submit(submission) {
        engine.disk.check();
        return submitRequest(engine, submission);
      },
    }),
  ];
  return {
    async close() {
      await Promise.all(services.map((service) => service.close()));
    },
  };
}

/** What the houses say. One that fails is left out. */
async function fromHouses<Said>(
  { houses, log }: Engine,
  ask: (house: OpenHouse) => Promise<Said[]> | undefined,
): Promise<Said[]> {
  const said = houses.map(async (house) => {
    try {
      return (await ask(house)) ?? [];
    } catch (error) {
      log.debug(
        { house: house.name, error: messageOf(error) },
        'the house could not be asked for its figures',
      );
      return [];
    }
  });
  return (await Promise.all(said)).flat();
}
