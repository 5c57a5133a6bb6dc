/** Lengths and counts are mostly small: a table takes a tenth of the time. */
const table = Float64Array.from({ length: 4096 }, (_, value) => Math.log1p(value));

/** log(1 + value) */
export function logOf(value: number): number {
  return value < 4096 && Number.isInteger(value) ? (table[value] as number) : Math.log1p(value);
}
