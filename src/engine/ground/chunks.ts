/**
 * Splits the list into chunks of at most `size`, because databases limit the number of parameters in a statement.
 *
 *     for (const some of chunks(rows, 500)) await insert(some);
 */
export function* chunks<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
