import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLiving } from '../data-directory/living-process.ts';

/** Name of the machine too: containers may share a directory for temporary files, and number their processes alike. */
const prefix = `pismak-work-${hostname().replace(/[^A-Za-z0-9.]/g, '')}-`;

/** A new directory that only we can read, for files that a program needs on disk. Removed when the work is done. */
export async function withWorkDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  try {
    return await work(directory);
  } finally {
    // A program that was just killed may still be writing its last file.
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
}

/** Removes what processes of ours that were killed have left: pages may hold what nobody else should read. */
export async function sweepWorkDirectories(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (!Number.isInteger(pid) || isLiving(pid)) continue;
    // Another user's, or being removed by somebody else.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}
