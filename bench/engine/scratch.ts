import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = mkdtempSync(join(tmpdir(), 'pismak-bench-'));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));
// Ctrl-C leaves neither a gigabyte of messages nor a server behind: what listens to `exit` is called.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** A new directory for a part of the benchmark; all of them go away with the process. */
export function scratchDirectory(): string {
  return mkdtempSync(join(root, 'part-'));
}
