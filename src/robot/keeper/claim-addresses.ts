import type { Queries } from '../database/tables.ts';

/** How much longer the crawl that had an address last leaves it to others that want it. */
export const turnMs = 2_000;

/** Makes the addresses known, and says that a crawl is interested in them. */
export async function enlist(
  transaction: Queries,
  crawl: number,
  addresses: readonly string[],
): Promise<void> {
  const unique = [...new Set(addresses)];
  for (let start = 0; start < unique.length; start += 500) {
    const some = unique.slice(start, start + 500);
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

/** Takes the addresses that are free, rested and not another crawl's turn, by compare-and-set. */
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
  for (let start = 0; start < addresses.length; start += 500) {
    const rows = await transaction
      .updateTable('robot_address')
      .set({ batch, lastCrawl: crawl })
      .where('address', 'in', addresses.slice(start, start + 500))
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

/** Gives back addresses of a batch that it does not contact after all. */
export async function giveBack(
  transaction: Queries,
  batch: string,
  addresses: readonly string[],
): Promise<void> {
  for (let start = 0; start < addresses.length; start += 500)
    await transaction
      .updateTable('robot_address')
      .set({ batch: null })
      .where('batch', '=', batch)
      .where('address', 'in', addresses.slice(start, start + 500))
      .execute();
}

/** Every address of the batch rests. The pause differs where another crawl with stricter rules meets it. */
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
    for (let start = 0; start < addresses.length; start += 500)
      await transaction
        .updateTable('robot_address')
        .set({ batch: null, restsUntil: until, endedAt: now })
        .where('batch', '=', batch)
        .where('address', 'in', addresses.slice(start, start + 500))
        .execute();
  }
}
