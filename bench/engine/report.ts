import type { Comparable } from '../comparable.ts';

/** A target and what was measured. */
export interface Target {
  name: string;
  wanted: string;
  measured: number;
  reached: boolean;
}

/** How a part is run, and where its figures go. */
export interface PartRun {
  rounds: number;
  /** Minutes for which a stranger's transaction is open. */
  heldMinutes: number;
  /** Without peers, and so without targets beside them. */
  alone: boolean;
  targets: Target[];
  comparable: Comparable[];
}

export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(`  ${cells.join('   ')}`);
  }
}

export function printTargets(targets: readonly Target[]): void {
  console.log('\nTargets');
  printTable(
    targets.map((target) => [
      target.name,
      `wanted ${target.wanted}`,
      `measured ${target.measured.toFixed(2)}x`,
      target.reached ? 'reached' : 'MISSED',
    ]),
  );
}

export function perSecond(count: number, seconds: number): string {
  return Math.round(count / seconds).toLocaleString('en');
}

/** Faster than the peer. */
export function above(name: string, measured: number): Target {
  return { name, wanted: 'above 1x', measured, reached: measured > 1 };
}

export function atLeast(name: string, measured: number, wanted: number): Target {
  return { name, wanted: `${wanted}x or more`, measured, reached: measured >= wanted };
}
