/** A target and what was measured, in its own unit. */
export interface Target {
  name: string;
  wanted: string;
  measured: string;
  reached: boolean;
}

/** A table in Markdown, the first row being its head, to be copied into the documentation. */
export function printMarkdown(rows: readonly (readonly string[])[]): void {
  const widths =
    rows[0]?.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const print = (row: readonly string[], fill = ' ') =>
    console.log(`| ${widths.map((width, column) => (row[column] ?? '').padEnd(width, fill)).join(' | ')} |`);
  const [head, ...body] = rows;
  if (head) print(head);
  print([], '-');
  for (const row of body) print(row);
}

export function printTargets(targets: readonly Target[]): void {
  console.log('');
  const rows = targets.map((target) => [
    target.name,
    target.wanted,
    target.measured,
    target.reached ? 'reached' : 'MISSED',
  ]);
  printMarkdown([['target', 'wanted', 'measured', ''], ...rows]);
}

export function percent(rate: number): string {
  return `${(rate * 100).toFixed(2)} %`;
}

export function compare(name: string, wanted: string, ratio: number, reached: boolean): Target {
  return { name, wanted, measured: `${ratio.toFixed(2)}x`, reached };
}
