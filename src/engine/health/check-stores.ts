import { hostname } from 'node:os';
import type { DiskReserve } from '../disk/disk-reserve.ts';
import { hasCode, messageOf } from '../ground/errors.ts';
import type { Ports } from '../ports/ports.ts';
import { withDeadline } from '../time/deadline.ts';

export const stores = ['broker', 'coordination', 'database', 'blobs'] as const;
export type Store = (typeof stores)[number];

/** `degraded`: it answers, but can't store anything. */
export const storeStates = ['ok', 'degraded', 'down'] as const;
export type StoreState = (typeof storeStates)[number];
export interface StoreFault {
  state: Exclude<StoreState, 'ok'>;
  reason: string;
}
type CheckedStores = Pick<Ports, Store | 'clock'> & { disk?: DiskReserve; storeWrites: StoreWrites };

/** How long a write counts: health is public, and each write costs a disk sync. Failed writes are retried sooner. */
const keptMs = { ok: 15_000, failed: 2_000 };

/** Reads something small from each store, and writes something small to it; undefined if that works in time. */
export async function checkStores(
  engine: CheckedStores,
  timeoutMs = 2000,
): Promise<Record<Store, StoreFault | undefined>> {
  const { broker, coordination, database, blobs, clock, storeWrites } = engine;
  const check = async (ask: () => Promise<unknown>, write?: () => Promise<string | undefined>) => {
    const unread = await trouble(engine, timeoutMs, ask);
    if (unread !== undefined) return { state: 'down', reason: unread } as const;
    const unwritten = await write?.();
    return unwritten === undefined ? undefined : ({ state: 'degraded', reason: unwritten } as const);
  };
  const written = (store: object, write: () => Promise<unknown>) => () =>
    storeWrites.recent(store, clock.now(), () => trouble(engine, timeoutMs, write));

  const [ofBroker, ofCoordination, ofDatabase, ofBlobs] = await Promise.all([
    check(
      // `queue-unknown` is a valid answer too, and the cheapest one.
      () =>
        broker.status('no-such-queue').catch((error: unknown) => {
          if (!hasCode(error, 'queue-unknown')) throw error;
        }),
      written(broker, async () => broker.probe?.()),
    ),
    check(() => coordination.get('/servers')),
    check(
      () => database.query.selectFrom('secret').select('name').limit(1).execute(),
      written(database, () => writeMoment(engine, `probe:${hostname()}`)),
    ),
    check(
      () => blobs.has('0'.repeat(64)),
      written(blobs, async () => {
        const { hash } = await blobs.put(Buffer.from(`probe of ${hostname()} ${process.pid}`));
        await blobs.remove(hash);
      }),
    ),
  ]);
  const faults = { broker: ofBroker, coordination: ofCoordination, database: ofDatabase, blobs: ofBlobs };
  for (const store of engine.disk?.shortages().flatMap((shortage) => shortage.stores) ?? [])
    faults[store] ??= { state: 'degraded', reason: 'its disk is full or nearly full' };
  return faults;
}

export type Health = { status: StoreState; parts: Record<Store, StoreState> };

/** The public part: which store is at fault, not why. */
export function healthOf(faults: Record<Store, StoreFault | undefined>): Health {
  const state = (store: Store): StoreState => faults[store]?.state ?? 'ok';
  const parts = {
    broker: state('broker'),
    coordination: state('coordination'),
    database: state('database'),
    blobs: state('blobs'),
  };
  const found = new Set(Object.values(parts));
  return { status: storeStates.findLast((each) => found.has(each)) ?? 'ok', parts };
}

/** The last write into each store, shared by all who ask for its health. */
export class StoreWrites {
  readonly #last = new WeakMap<
    object,
    { at: number; trouble: Promise<string | undefined>; keptMs: number }
  >();

  /** The result of the last write into this store; writes again when that result is too old. */
  recent(store: object, now: number, write: () => Promise<string | undefined>): Promise<string | undefined> {
    const last = this.#last.get(store);
    if (last && now >= last.at && now - last.at < last.keptMs) return last.trouble;
    const entry = { at: now, trouble: write(), keptMs: keptMs.failed };
    void entry.trouble.then((found) => {
      if (found === undefined) entry.keptMs = keptMs.ok;
    });
    this.#last.set(store, entry);
    return entry.trouble;
  }
}

async function writeMoment(
  { database, clock }: Pick<Ports, 'database' | 'clock'>,
  name: string,
): Promise<void> {
  const at = clock.now();
  await database.query
    .insertInto('moment')
    .values({ name, at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ at }))
    .execute();
}

function trouble(
  { clock }: Pick<Ports, 'clock'>,
  timeoutMs: number,
  ask: () => Promise<unknown>,
): Promise<string | undefined> {
  // Called inside a promise, so that a synchronous throw counts as a failure too.
  const answer = Promise.resolve()
    .then(ask)
    .then(() => undefined, messageOf);
  return withDeadline(clock, timeoutMs, answer, () => `no answer within ${timeoutMs} ms`);
}
