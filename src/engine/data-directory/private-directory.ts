import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../files/make-directory.ts';
import { isSystemError } from '../files/system-error.ts';

/** What Pismak itself puts into a data directory, and what every home directory contains. */
const ours =
  /^(\..*|ballast|blobs|backups|cache|logs|lock|lost\+found|holder\.json(\.new)?|pismak\.toml(\.restored)?|(pismak|queues)\.db(-wal|-shm|-journal)?)$/;

/**
 * Creates the directory for this user alone. If others can enter an existing one, closes it and its files to them, provided that
 * it contains only our own data; otherwise refuses it: it may be a home directory or /tmp.
 */
export async function makePrivate(directory: string): Promise<void> {
  await makeDirectory(directory, { mode: 0o700 });
  const found = await stat(directory);
  if (isOpen(found)) {
    const foreign = (await readdir(directory)).find((name) => !ours.test(name));
    const others = 'other users of this machine can enter it';
    const ownOne = `choose a directory for Pismak alone, such as ${join(directory, 'pismak')}`;
    // Like /tmp: everybody may write there.
    if ((found.mode & 0o1000) !== 0) throw new Error(`everybody may write there; ${ownOne}`);
    if (foreign !== undefined) throw new Error(`${others}, and it contains ${foreign}; ${ownOne}`);
    await chmod(directory, 0o700).catch((error: unknown) => {
      if (!isSystemError(error, 'EPERM', 'EROFS')) throw error;
      throw new Error(
        `${others}, and it belongs to another user; run chmod 700 on it as its owner, or ${ownOne}`,
      );
    });
  }
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const entry = await lstat(path).catch(() => undefined);
    if (entry?.isFile() && ours.test(name) && isOpen(entry)) await chmod(path, 0o600);
  }
}

function isOpen({ mode }: { mode: number }): boolean {
  return (mode & 0o077) !== 0;
}
