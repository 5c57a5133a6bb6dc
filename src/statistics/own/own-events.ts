import type { Engine } from '../../engine/composition/engine.ts';
import { newId } from '../../engine/ground/identity.ts';
import type { BesideWorker } from '../../engine/house.ts';
import { newRequest, toMessage } from '../../engine/request/request.ts';
import type { Running } from '../../engine/service/service.ts';
import { installationOwner } from '../../engine/webhook/secret.ts';
import { ingest } from '../ingest/ingest.ts';
import { ingestStage } from '../ingest/ingest-stage.ts';
import type { Statistics } from '../opened/statistics.ts';
import { loadSchemas } from '../schema/schemas.ts';
import { type OwnEvent, translateEvent } from './translate-event.ts';
import { WaitingSums } from './waiting-sums.ts';

const flushMs = 10_000;
/** Maximum kept while the store is unavailable. */
const mostWaiting = 50_000;

/** How a batch is stored. The token stays the same until that succeeds, so a failure in between counts nothing twice. */
interface Destination {
  perBatch: number;
  store(token: string, events: readonly OwnEvent[]): Promise<void>;
}

/** Counts the events of the engine and the houses of this process. */
export function countOwnEvents(
  engine: Pick<Engine, 'clock' | 'events' | 'log'>,
  opened: () => Promise<Statistics>,
): Running {
  return collectOwnEvents(engine, {
    perBatch: 5000,
    async store(token, events) {
      const batch = { owner: installationOwner, token: `own ${token}`, level: 'event' as const };
      await ingest(await opened(), { ...batch, content: { events }, mayWrite: () => true });
    },
  });
}

/** The same in a process that only runs workers: events go through the queue of the ingest stage, where any worker counts them once. */
export function sendOwnEvents(parts: Pick<BesideWorker, 'broker' | 'clock' | 'events' | 'log'>): Running {
  const { broker, clock } = parts;
  return collectOwnEvents(parts, {
    // One message that fits without a blob.
    perBatch: 300,
    async store(token, events) {
      const content = Buffer.from(events.map((event) => JSON.stringify(event)).join('\n'));
      const files = [{ name: 'own.ndjson', content }];
      const request = newRequest({ uuid: token, stages: [ingestStage.name], files, startedAt: clock.now() });
      await broker.publish(ingestStage.name, toMessage(request));
    },
  });
}

/** Gathers events, adds them up and stores them every ten seconds; what is in memory when the process is killed is not counted. */
function collectOwnEvents(
  { clock, events, log }: Pick<Engine, 'clock' | 'events' | 'log'>,
  { perBatch, store }: Destination,
): Running {
  const schema = loadSchemas().all.find(({ name }) => name === 'pismak');
  const waiting = new WaitingSums(mostWaiting);
  let batch: { token: string; events: readonly OwnEvent[] } | undefined;
  let cancel = () => {};
  let flushing: Promise<void> | undefined;

  const stop = events.subscribe((event) => {
    if (!schema) return;
    for (const one of translateEvent(event, schema)) waiting.add(one);
  });

  async function send(): Promise<void> {
    while (batch || waiting.size > 0) {
      batch ??= { token: newId(clock), events: waiting.take(perBatch) };
      await store(batch.token, batch.events);
      batch = undefined;
    }
    const { dropped } = waiting;
    if (dropped > 0)
      log.warn({ dropped }, 'events of Pismak itself were not counted: the store was unavailable');
    waiting.dropped = 0;
  }

  function flush(): Promise<void> {
    flushing ??= send()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'events of Pismak itself could not be counted; they will be tried again'),
      )
      .finally(() => {
        flushing = undefined;
      });
    return flushing;
  }

  const tick = () => {
    void flush();
    cancel = clock.after(flushMs, tick);
  };
  cancel = clock.after(flushMs, tick);
  return {
    async close() {
      stop();
      cancel();
      await flushing;
      await flush();
    },
  };
}
