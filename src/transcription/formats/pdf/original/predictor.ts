/** Takes back PNG's filters, with which tables of objects are packed: one byte a column. */
export function unpredict(data: Buffer, columns: number): Buffer {
  const rows = Math.floor(data.length / (columns + 1));
  const out = Buffer.alloc(rows * columns);
  for (let row = 0; row < rows; row++) {
    const filter = data[row * (columns + 1)] ?? 0;
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      const left = column === 0 ? 0 : (out[at - 1] ?? 0);
      const above = row === 0 ? 0 : (out[at - columns] ?? 0);
      const corner = row === 0 || column === 0 ? 0 : (out[at - columns - 1] ?? 0);
      const raw = data[row * (columns + 1) + 1 + column] ?? 0;
      out[at] = raw + guess(filter, left, above, corner);
    }
  }
  return out;
}

function guess(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter !== 4) return 0;
  const [a, b, c] = [left, above, corner].map((value) => Math.abs(left + above - corner - value)) as [
    number,
    number,
    number,
  ];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}
