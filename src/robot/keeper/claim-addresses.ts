import { chunks } from '../../engine/ground/chunks.ts';
import type { Queries } from '../database/tables.ts';

/**
 * An address belongs to the whole cluster. Its row is free, held by one batch of one crawl (`batch`), or resting (until `restsUntil`, and for at
 * least the pause of the next crawl after `endedAt`). A crawl must be interested in it to get its turn: of two interested crawls, the
 * one that had it last leaves it to the other for this long.
 */
export const turnMs = 2_000;

/** Registers addresses, and the interest of a crawl in them. */
export async function enlist(
  transaction: Queries,
  crawl: number,
  addresses: readonly string[],
): Promise<void> {
  for (const some of chunks([...new Set(addresses)], 500)) {
    await transaction
      .insertInto('robot_address')
      .values(some.map((address) => ({ address, batch: null, restsUntil: 0, endedAt: 0, lastCrawl: null })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await transaction
      .insertInto('robot_interest')
      .values(some.map((address) => ({ address, crawl })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Claims the addresses that are free, rested and not another crawl's turn, by compare-and-set. */
export async function claim(
  transaction: Queries,
  {
    addresses,
    batch,
    crawl,
    now,
    pauseMs,
  }: { addresses: readonly string[]; batch: string; crawl: number; now: number; pauseMs: number },
): Promise<Set<string>> {
  const claimed = new Set<string>();
  for (const some of chunks(addresses, 500)) {
    const rows = await transaction
      .updateTable('robot_address')
      .set({ batch, lastCrawl: crawl })
      .where('address', 'in', some)
      .where('batch', 'is', null)
      .where('restsUntil', '<=', now)
      .where('endedAt', '<=', now - pauseMs)
      .where(({ or, eb, not, exists, selectFrom }) =>
        or([
          eb('lastCrawl', 'is', null),
          eb('lastCrawl', '<>', crawl),
          eb('restsUntil', '<=', now - turnMs),
          not(
            exists(
              selectFrom('robot_interest')
                .select('crawl')
                .whereRef('robot_interest.address', '=', 'robot_address.address')
                .where('robot_interest.crawl', '<>', crawl),
            ),
          ),
        ]),
      )
      .returning('address')
      .execute();
    for (const { address } of rows) claimed.add(address);
  }
  return claimed;
}

/** Frees addresses of a batch that it does not contact after all. */
export async function giveBack(
  transaction: Queries,
  batch: string,
  addresses: readonly string[],
): Promise<void> {
  for (const some of chunks(addresses, 500))
    await transaction
      .updateTable('robot_address')
      .set({ batch: null })
      .where('batch', '=', batch)
      .where('address', 'in', some)
      .execute();
}

/** Lets every address of a batch rest. The pause is longer where another crawl with stricter rules needs the address. */
export async function rest(
  transaction: Queries,
  batch: string,
  now: number,
  restsUntil: (address: string) => number,
): Promise<void> {
  const held = await transaction
    .selectFrom('robot_address')
    .select('address')
    .where('batch', '=', batch)
    .execute();
  for (const [until, rows] of Map.groupBy(held, ({ address }) => restsUntil(address))) {
    const addresses = rows.map(({ address }) => address);
    for (const some of chunks(addresses, 500))
      await transaction
        .updateTable('robot_address')
        .set({ batch: null, restsUntil: until, endedAt: now })
        .where('batch', '=', batch)
        .where('address', 'in', some)
        .execute();
  }
}
