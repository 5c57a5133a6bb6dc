import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLiving, pidSpace } from './living-process.ts';

/** Includes host and namespace: containers and sandboxes may share a temporary directory and have the same process ids. */
const prefix = `pismak-work-${hostname().replace(/[^A-Za-z0-9.]/g, '')}.${pidSpace}-`;

/** How the name of a directory begins that `sweepWorkDirectories` removes when this process is gone. */
export function workDirectoryName(): string {
  return join(tmpdir(), `${prefix}${process.pid}-`);
}

/** A new directory that only we can read, for files that a program needs on disk. Removed when the work is done. */
export async function withWorkDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(workDirectoryName());
  try {
    return await work(directory);
  } finally {
    // A program that was just killed may still be writing its last file.
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
}

/** Removes the directories of our killed processes: pages may be confidential. */
export async function sweepWorkDirectories(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (!Number.isInteger(pid) || isLiving(pid)) continue;
    // It belongs to another user, or another process is removing it.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}
