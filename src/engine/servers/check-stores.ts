import type { Engine } from '../engine.ts';
import { hasCode, messageOf } from '../errors.ts';
import { withDeadline } from '../time/deadline.ts';

export const stores = ['broker', 'coordination', 'database', 'blobs'] as const;
export type Store = (typeof stores)[number];

/** Sends each store a small query; undefined if it answers in time, else the reason. */
export async function checkStores(
  engine: Pick<Engine, Store | 'clock'>,
  timeoutMs = 2000,
): Promise<Record<Store, string | undefined>> {
  const [broker, coordination, database, blobs] = await Promise.all([
    answers(engine, timeoutMs, async () => {
      // `queue-unknown` is an answer too, and the cheapest one.
      await engine.broker.status('no-such-queue').catch((error: unknown) => {
        if (!hasCode(error, 'queue-unknown')) throw error;
      });
    }),
    answers(engine, timeoutMs, () => engine.coordination.get('/servers')),
    answers(engine, timeoutMs, () =>
      engine.database.query.selectFrom('secret').select('name').limit(1).execute(),
    ),
    answers(engine, timeoutMs, () => engine.blobs.has('0'.repeat(64))),
  ]);
  return { broker, coordination, database, blobs };
}

export type Health = { status: 'ok' | 'down'; parts: Record<Store, 'ok' | 'down'> };

/** What may be public: which part is at fault, not why. */
export function healthOf(faults: Record<Store, string | undefined>): Health {
  const state = (store: Store) => (faults[store] === undefined ? 'ok' : 'down');
  const parts = {
    broker: state('broker'),
    coordination: state('coordination'),
    database: state('database'),
    blobs: state('blobs'),
  } as const;
  return { status: stores.every((store) => parts[store] === 'ok') ? 'ok' : 'down', parts };
}

function answers(
  { clock }: Pick<Engine, 'clock'>,
  timeoutMs: number,
  ask: () => Promise<unknown>,
): Promise<string | undefined> {
  // Called inside a promise, so that a synchronous throw counts as an answer too.
  const answer = Promise.resolve()
    .then(ask)
    .then(() => undefined, messageOf);
  return withDeadline(clock, timeoutMs, answer, () => `no answer within ${timeoutMs} ms`);
}
