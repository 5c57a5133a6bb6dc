import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Engine } from '../composition/engine.ts';
import { accountsOf } from '../database/sqlite/check-restored.ts';
import { diskFull } from '../disk/disk-reserve.ts';
import { syncDirectory } from '../files/sync-directory.ts';
import { isSystemError } from '../files/system-error.ts';
import { partName, removeParts } from '../files/temporary-files.ts';
import { messageOf, PismakError } from '../ground/errors.ts';
import { version } from '../ground/version.ts';
import { type BackupManifest, backupFormat, blobEntry, hashing, manifestName } from './backup-format.ts';
import { type TarEntry, writeTar } from './tar.ts';

export type BackupSource = Pick<Engine, 'broker' | 'database' | 'blobs' | 'clock' | 'disk' | 'settings'> & {
  /** The configuration file in use, which is included in the backup. */
  configurationFile?: string | undefined;
};

/** Data directories being backed up; each belongs to this process alone. */
const underWay = new Set<string>();

/**
 * Writes everything into one new file while the engine runs. Queues and database are from the same moment. The file is
 * renamed to its final name only when it is complete and on disk.
 */
export async function createBackup(engine: BackupSource, file: string): Promise<BackupManifest> {
  const { data } = engine.settings;
  if (existsSync(file))
    throw new PismakError('already-exists', `${file} already exists; choose another name for the backup`);
  if (underWay.has(data))
    throw new PismakError('conflict', 'another backup is under way; wait until it is done');
  underWay.add(data);
  const part = join(dirname(file), partName());
  try {
    await removeParts(dirname(file), engine.clock);
    const copies = await snapshots(engine, join(data, 'cache', 'backup'));
    const manifest = await writeArchive(engine, copies, part);
    await rename(part, file);
    await syncDirectory(dirname(file));
    return manifest;
  } catch (error) {
    await rm(part, { force: true });
    if (isSystemError(error, 'ENOSPC', 'EDQUOT')) throw diskFull(error);
    throw error instanceof PismakError
      ? error
      : new PismakError('unavailable', `the backup could not be written: ${messageOf(error)}`, {
          cause: error,
        });
  } finally {
    await rm(join(data, 'cache', 'backup'), { recursive: true, force: true });
    underWay.delete(data);
  }
}

/** Copies the files of the stores into a directory; the next backup removes leftovers. */
async function snapshots(engine: BackupSource, directory: string): Promise<Record<string, string>> {
  const { broker, database, configurationFile } = engine;
  if (!broker.snapshot || !database.snapshot) {
    throw new PismakError(
      'conflict',
      'the queues or the database are on a server; back them up with the tools of that server',
    );
  }
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const copies = { 'queues.db': join(directory, 'queues.db'), 'pismak.db': join(directory, 'pismak.db') };
  // While our transaction is open, nothing else writes to the database, so both copies are from the same moment.
  await database.transaction(async () => {
    await Promise.all([broker.snapshot?.(copies['queues.db']), database.snapshot?.(copies['pismak.db'])]);
  });
  return configurationFile === undefined ? copies : { ...copies, 'pismak.toml': configurationFile };
}

async function writeArchive(
  engine: BackupSource,
  copies: Readonly<Record<string, string>>,
  file: string,
): Promise<BackupManifest> {
  const manifest: BackupManifest = {
    format: backupFormat,
    version,
    createdAt: engine.clock.now(),
    parts: [],
    blobs: { count: 0, bytes: 0 },
    accounts: accountsOf(copies['pismak.db'] ?? ''),
  };
  await pipeline(
    engine.disk.bounded(writeTar(entries(engine, copies, manifest))),
    createWriteStream(file, { mode: 0o600 }),
  );
  const written = await open(file);
  await written.sync().finally(() => written.close());
  return manifest;
}

/** Blobs come after the snapshots. All blobs of the snapshots still exist, because none is deleted within a day. */
async function* entries(
  { blobs }: BackupSource,
  copies: Readonly<Record<string, string>>,
  manifest: BackupManifest,
): AsyncGenerator<TarEntry> {
  for (const [name, path] of Object.entries(copies)) {
    const { size } = await stat(path);
    const done = (sha256: string) => manifest.parts.push({ name, size, sha256 });
    yield { name, size, content: hashing(createReadStream(path), done) };
  }
  for await (const { hash, size } of blobs.list()) {
    manifest.blobs.count++;
    manifest.blobs.bytes += size;
    yield { name: blobEntry(hash), size, content: blobs.get(hash) };
  }
  const text = Buffer.from(JSON.stringify(manifest, undefined, 2));
  yield { name: manifestName, size: text.length, content: one(text) };
}

async function* one(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}
