/** Works on the items in lots, each lot in parallel. Results keep the order of the items. */
export async function inLots<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += atOnce) {
    const lot = items.slice(start, start + atOnce);
    results.push(...(await Promise.all(lot.map((item, index) => work(item, start + index)))));
  }
  return results;
}
