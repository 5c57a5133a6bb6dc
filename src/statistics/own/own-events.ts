import type { Engine } from '../../engine/engine.ts';
import { newId } from '../../engine/identity.ts';
import type { Running } from '../../engine/service/service.ts';
import { ingest } from '../ingest/ingest.ts';
import type { Statistics } from '../statistics.ts';
import { translateEvent } from './translate-event.ts';

const flushMs = 10_000;
const perBatch = 5000;
/** While the store is away, so many are kept; the oldest go first. */
const mostWaiting = 50_000;

/**
 * Counts the events of the engine and the houses of this process. A batch keeps its token until it is stored, so a failure in
 * between counts nothing twice; what is in memory when the process is killed is not counted.
 */
export function countOwnEvents(
  engine: Pick<Engine, 'clock' | 'events' | 'log'>,
  opened: () => Promise<Statistics>,
): Running {
  const { clock, events, log } = engine;
  const waiting: object[] = [];
  let batch: { token: string; events: object[] } | undefined;
  let dropped = 0;
  let cancel = () => {};
  let flushing: Promise<void> | undefined;
  let schema: Statistics['schemas']['all'][number] | undefined;
  void opened().then(
    ({ schemas }) => {
      schema = schemas.all.find(({ name }) => name === 'pismak');
    },
    () => {},
  );

  const stop = events.subscribe((event) => {
    if (!schema) return;
    waiting.push(...translateEvent(event, schema));
    const excess = waiting.length - mostWaiting;
    if (excess > 0) {
      waiting.splice(0, excess);
      dropped += excess;
    }
    if (waiting.length === perBatch) void flush();
  });

  async function send(): Promise<void> {
    while (batch || waiting.length > 0) {
      batch ??= { token: `own ${newId(clock)}`, events: waiting.splice(0, perBatch) };
      const content = { events: batch.events };
      const rest = { owner: 'local', token: batch.token, level: 'event' as const, mayWrite: () => true };
      await ingest(await opened(), { ...rest, content });
      batch = undefined;
    }
    if (dropped > 0) log.warn({ dropped }, 'events of Pismak itself were not counted: the store was away');
    dropped = 0;
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
