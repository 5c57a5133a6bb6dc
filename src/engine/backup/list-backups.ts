import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../files/system-error.ts';
import { defineSentences, type Sentence } from '../ground/sentence.ts';
import { serverNames } from '../servers/server-addresses.ts';
import type { Settings } from '../settings/settings.ts';
import { backupDirectory, backupName } from './backup-directory.ts';
import { type BackupManifest, backupManifest, manifestName } from './backup-format.ts';
import { readTar } from './tar.ts';

/** A file in the backup directory. */
export interface StoredBackup {
  name: string;
  /** Bytes. */
  size: number;
  writtenAt: number;
  /** Null: it is not a whole backup. */
  manifest: BackupManifest | null;
}

/** Backups, newest first. Only their last blocks are read; `restore` checks the rest. */
export async function listBackups(
  settings: Pick<Settings, 'backup' | 'data'>,
  { offset, limit }: { offset: number; limit: number },
): Promise<StoredBackup[]> {
  const directory = backupDirectory(settings);
  const files = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  });
  const names = files
    .filter((file) => file.isFile() && backupName.safeParse(file.name).success)
    .slice(0, mostFiles);
  const found: { name: string; size: number; writtenAt: number }[] = [];
  for (const { name } of names) {
    const about = await read(join(directory, name), async (file) => await file.stat());
    if (about) found.push({ name, size: about.size, writtenAt: Math.round(about.mtimeMs) });
  }
  const page = found.toSorted((a, b) => b.writtenAt - a.writtenAt).slice(offset, offset + limit);
  const backups: StoredBackup[] = [];
  for (const each of page) {
    const manifest = await read(join(directory, each.name), (file) => manifestAtEnd(file, each.size));
    backups.push({ ...each, manifest: manifest ?? null });
  }
  return backups;
}

/** Somebody may keep other things there, too. */
const mostFiles = 10_000;

/** Undefined if the file is gone by now, or may not be read. */
async function read<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T | undefined> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT', 'EACCES', 'EPERM')) return undefined;
    throw error;
  });
  return file && work(file).finally(() => file.close());
}

const block = 512;
const longestManifest = 1_000_000;

/** The manifest is the last entry. */
async function manifestAtEnd(file: FileHandle, size: number): Promise<BackupManifest | undefined> {
  if (size % block !== 0) return undefined;
  const length = Math.min(size, longestManifest + 4 * block - (longestManifest % block));
  const tail = Buffer.alloc(length);
  await file.read(tail, 0, length, size - length);
  const at = tail.lastIndexOf(`${manifestName}\0`);
  if (at === -1 || at % block !== 0) return undefined;
  try {
    for await (const { name, content } of readTar(one(tail.subarray(at)))) {
      if (name !== manifestName) return undefined;
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      return backupManifest.parse(JSON.parse(Buffer.concat(chunks).toString()));
    }
  } catch {
    // Something else that ends like a backup.
  }
  return undefined;
}

async function* one(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}

/** What to do to get the state of a backup back. */
export function howToRestore(settings: Settings, data: string): Sentence {
  const servers = serverNames.filter((name) => /^(postgres|amqps?|zookeepers?):/.test(settings[name]));
  if (servers.length > 0) return say('backup.restore-servers', { servers });
  return say('backup.restore', { directory: backupDirectory(settings), data });
}

const say = defineSentences({
  'backup.restore': ({ directory, data }: { directory: string; data: string }) =>
    `Stop Pismak, then run \`pismak restore ${directory}/NAME --data ${data} --force\` on its machine and start it again. ` +
    'Every byte of the backup is checked first, and the present data directory is moved aside, not deleted. ' +
    'To look into a backup while Pismak runs, restore it into another directory',
  'backup.restore-servers': ({ servers }: { servers: readonly string[] }) =>
    `The ${servers.join(', ')} ${servers.length === 1 ? 'is' : 'are'} on servers: back them up and restore them with the tools of these servers, ` +
    'as docs/operations.md describes (pg_dump, and definitions of RabbitMQ). `pismak restore` restores backups of a data directory only',
});
