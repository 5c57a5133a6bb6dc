import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readHolder } from '../data-directory/data-directory.ts';
import { lockDirectory } from '../data-directory/directory-lock.ts';
import type { MigrationLine } from '../database/database.ts';
import { engineMigrations } from '../database/open.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { syncDirectory } from '../files/sync-directory.ts';
import { isSystemError } from '../files/system-error.ts';
import { messageOf, PismakError } from '../ground/errors.ts';
import type { Clock } from '../time/clock.ts';
import type { BackupManifest } from './backup-format.ts';
import { unpackBackup } from './unpack-backup.ts';

export interface Restored {
  manifest: BackupManifest;
  /** The new path of the previous directory, if there was one. */
  movedAside: string | undefined;
}

/**
 * Makes a data directory from a backup. Everything is unpacked and checked beside the target and then takes its place in
 * one step, so that no restore is half done. An existing directory is refused, or with force moved aside.
 */
export async function restoreBackup(options: {
  file: string;
  data: string;
  force?: boolean;
  clock: Clock;
  /** The migrations of the houses, to compare with the database. */
  lines?: readonly MigrationLine[];
}): Promise<Restored> {
  const { file, force = false, clock } = options;
  const target = resolve(options.data);
  const occupied = await isOccupied(target);
  if (occupied && !force) {
    throw new PismakError(
      'already-exists',
      `${target} is not empty; --force moves it aside without deleting anything`,
    );
  }
  // Never move a directory that a process is using.
  const release = occupied ? await lock(target) : () => {};
  await makeDirectory(dirname(target));
  const directory = await mkdtemp(`${target}.restoring-`);
  try {
    const manifest = await unpackBackup(file, directory, [engineMigrations, ...(options.lines ?? [])]);
    const movedAside = occupied ? await moveAside(target, clock) : undefined;
    await rename(directory, target);
    await syncDirectory(dirname(target));
    return { manifest, movedAside };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    if (error instanceof PismakError) throw error;
    if (isSystemError(error, 'ENOENT'))
      throw new PismakError('not-found', `there is no file ${file}`, { cause: error });
    throw new PismakError('unavailable', `the backup could not be restored: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    release();
  }
}

async function isOccupied(target: string): Promise<boolean> {
  try {
    return (await readdir(target)).length > 0;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return false;
    throw new PismakError('invalid-input', `${target} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

async function lock(target: string): Promise<() => void> {
  const release = lockDirectory(target);
  if (release) return release;
  const holder = await readHolder(target);
  const who = holder ? `process ${holder.pid} (${holder.purpose})` : 'another process';
  throw new PismakError('data-directory-in-use', `${target} is in use by ${who}; stop it, then restore`);
}

async function moveAside(target: string, clock: Clock): Promise<string> {
  const aside = `${target}.before-${new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '-')}`;
  await rename(target, aside);
  return aside;
}
