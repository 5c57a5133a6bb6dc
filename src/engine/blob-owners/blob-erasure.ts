import type { Blobs } from '../blobs/blobs.ts';
import type { Database, Queries } from '../database/database.ts';
import { chunks } from '../ground/chunks.ts';
import type { Ports } from '../ports/ports.ts';
import { everyPeriod, type Running, runService } from '../service/service.ts';
import type { Clock } from '../time/clock.ts';
import { forgetPutsOf, hasBeenPut, putAndUnused } from './blob-access.ts';
import { orphanKeptMs } from './blob-owners.ts';

/** How long an uploader may take to own a blob. Younger blobs are not erased. */
export const settlingMs = 60_000;
const periodMs = 15_000;
const batchSize = 200;

/**
 * Gives up all blobs of the owner. Blobs without another owner are deleted soon, not after a day:
 * `eraseGivenUp` does that. Safe to repeat.
 */
export async function giveUp(queries: Queries, owner: string, now: number): Promise<void> {
  const rows = await queries.selectFrom('blobRef').select('hash').where('owner', '=', owner).execute();
  await queries.deleteFrom('blobRef').where('owner', '=', owner).execute();
  await giveUpUnowned(
    queries,
    rows.map((row) => row.hash),
    now,
  );
}

/** The same for blobs that were put in vain. Blobs with an owner stay. */
export async function giveUpUnowned(queries: Queries, hashes: readonly string[], now: number): Promise<void> {
  for (const some of chunks(hashes, batchSize)) {
    const kept = await owned(queries, some);
    const values = some
      .filter((hash) => !kept.has(hash))
      .map((hash) => ({ hash, since: now - orphanKeptMs }));
    if (values.length === 0) continue;
    await queries
      .insertInto('blobOrphan')
      .values(values)
      .onConflict((conflict) => conflict.column('hash').doUpdateSet({ since: now - orphanKeptMs }))
      .execute();
  }
}

/** The same for blobs that were stored and then refused; otherwise any number of them would stay for a day. */
export async function giveUpRefused(
  { clock, database }: { clock: Clock; database: Database },
  hash: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    if (!(await hasBeenPut(transaction, hash))) await giveUpUnowned(transaction, [hash], clock.now());
  });
}

/** Deletes given-up blobs without an owner. Blobs put within the last minute wait. Resolves to the number deleted. */
export async function eraseGivenUp(parts: {
  database: Database;
  blobs: Blobs;
  clock: Clock;
  signal?: AbortSignal;
}): Promise<number> {
  const { database, blobs, clock, signal } = parts;
  let after = '';
  let erased = 0;
  while (!signal?.aborted) {
    const due = await database.query
      .selectFrom('blobOrphan')
      .select('hash')
      .where('since', '<=', clock.now() - orphanKeptMs)
      .where('hash', '>', after)
      .orderBy('hash')
      .limit(batchSize)
      .execute();
    const hashes = due.map((row) => row.hash);
    after = hashes.at(-1) ?? '';
    if (hashes.length === 0) break;
    erased += await database.transaction(async (transaction) => {
      let count = 0;
      // Remove them from the table first: a caller that owns one at this moment waits for us, or we wait for it.
      const taken = await transaction
        .deleteFrom('blobOrphan')
        .where('hash', 'in', hashes)
        .returning('hash')
        .execute();
      const now = clock.now();
      // A recent uploader of the same blob has a day to use it.
      const unused = await putAndUnused(transaction, hashes, now - orphanKeptMs);
      const kept = new Set([...(await owned(transaction, hashes)), ...unused]);
      // Rows that are gone have just got an owner.
      for (const { hash } of taken) {
        if (kept.has(hash)) continue;
        if (await blobs.remove(hash, { storedBefore: now - settlingMs })) {
          await forgetPutsOf(transaction, hash);
          count++;
        } else if (await blobs.has(hash)) {
          await transaction
            .insertInto('blobOrphan')
            .values({ hash, since: now - orphanKeptMs })
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        }
      }
      return count;
    });
  }
  return erased;
}

/** Erases given-up blobs periodically: an elected service. */
export function runErasure(
  engine: Pick<Ports, 'blobs' | 'clock' | 'database' | 'log' | 'openSession'>,
): Running {
  const { clock, log, openSession } = engine;
  return runService({
    name: 'erasure',
    clock,
    log,
    openSession,
    run: ({ signal }) =>
      everyPeriod({ name: 'erasure', clock, log, periodMs, signal }, async () => {
        await eraseGivenUp({ ...engine, signal });
        return undefined;
      }),
  });
}

async function owned(queries: Queries, hashes: readonly string[]): Promise<Set<string>> {
  const rows = await queries.selectFrom('blobRef').select('hash').where('hash', 'in', hashes).execute();
  return new Set(rows.map((row) => row.hash));
}
