import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { faultOfQueues } from '../broker/sqlite/check-restored.ts';
import type { MigrationLine } from '../database/database.ts';
import { accountsOf, faultOfDatabase } from '../database/sqlite/check-restored.ts';
import { syncDirectory } from '../files/sync-directory.ts';
import { messageOf, PismakError } from '../ground/errors.ts';
import {
  type BackupManifest,
  backupFormat,
  backupManifest,
  hashing,
  hashOfEntry,
  manifestName,
  partNames,
} from './backup-format.ts';
import { readTar, type TarEntry } from './tar.ts';

/** Unpacks a backup into an empty directory and checks every byte of it; `invalid-input` says what is wrong. */
export async function unpackBackup(
  file: string,
  directory: string,
  lines: readonly MigrationLine[],
): Promise<BackupManifest> {
  const found = new Map<string, { size: number; sha256: string }>();
  const folders = new Set([directory, join(directory, 'blobs')]);
  let manifest: BackupManifest | undefined;
  for await (const entry of readTar(createReadStream(file))) {
    if (manifest) throw refuse(`${JSON.stringify(entry.name)} comes after the manifest`);
    if (found.has(entry.name)) throw refuse(`${JSON.stringify(entry.name)} is there twice`);
    if (entry.name === manifestName) manifest = await readManifest(entry);
    else found.set(entry.name, { size: entry.size, sha256: await unpackEntry(entry, directory) });
  }
  // File names survive power loss only if their folders are synced too.
  for (const name of found.keys())
    if (hashOfEntry(name) !== undefined) folders.add(dirname(join(directory, name)));
  await mkdir(join(directory, 'blobs'), { recursive: true, mode: 0o700 });
  for (const folder of folders) await syncDirectory(folder);
  if (!manifest) throw refuse('it has no manifest; it was truncated or never finished');
  check(manifest, found);
  await checkContents(manifest, directory, lines);
  return manifest;
}

/** Never uses names as they are: only known names map to a file, so none can lead elsewhere. */
async function unpackEntry({ name, content }: TarEntry, directory: string): Promise<string> {
  const hash = hashOfEntry(name);
  const path = hash === undefined && Object.hasOwn(partNames, name) ? partNames[name] : hash && name;
  if (path === undefined) throw refuse(`${JSON.stringify(name)} does not belong in a backup`);
  let sha256 = '';
  const target = join(directory, path);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const tell = (digest: string) => {
    sha256 = digest;
  };
  await pipeline(
    hashing(content, tell),
    createWriteStream(target, { mode: 0o600, flags: 'wx', flush: true }),
  );
  if (hash !== undefined && hash !== sha256) throw refuse(`blob ${hash} is damaged`);
  return sha256;
}

async function readManifest({ size, content }: TarEntry): Promise<BackupManifest> {
  if (size > 1_000_000) throw refuse('its manifest is too large');
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  let manifest: BackupManifest;
  try {
    manifest = backupManifest.parse(JSON.parse(Buffer.concat(chunks).toString()));
  } catch (error) {
    throw refuse(`its manifest can't be read: ${messageOf(error)}`);
  }
  if (manifest.format > backupFormat) {
    throw refuse(
      `it was written by Pismak ${manifest.version}, which is newer; restore it with that version`,
    );
  }
  return manifest;
}

function check(manifest: BackupManifest, found: ReadonlyMap<string, { size: number; sha256: string }>): void {
  for (const { name, size, sha256 } of manifest.parts) {
    const part = found.get(name);
    if (!part) throw refuse(`${name} is missing`);
    if (part.size !== size || part.sha256 !== sha256) throw refuse(`${name} is damaged`);
  }
  for (const needed of ['queues.db', 'pismak.db']) {
    if (!manifest.parts.some(({ name }) => name === needed)) throw refuse(`${needed} is missing`);
  }
  const blobs = [...found.keys()].filter((name) => hashOfEntry(name) !== undefined).length;
  if (blobs !== manifest.blobs.count) throw refuse(`it has only ${blobs} of ${manifest.blobs.count} blobs`);
  if (found.size !== manifest.parts.length + blobs)
    throw refuse('it has parts that its manifest does not list');
}

/** The databases hold what this program would have written, and only users named by the manifest can sign in. */
async function checkContents(
  manifest: BackupManifest,
  directory: string,
  lines: readonly MigrationLine[],
): Promise<void> {
  const database = join(directory, 'pismak.db');
  const faults = {
    'queues.db': await faultOfQueues(join(directory, 'queues.db')),
    'pismak.db': await faultOfDatabase(database, lines),
  };
  for (const [name, fault] of Object.entries(faults))
    if (fault !== undefined) throw refuse(`${name}: ${fault}`);
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(accountsOf(database))), manifest.accounts))
    throw refuse('pismak.db has users or keys that its manifest does not name');
}

function refuse(why: string): PismakError {
  return new PismakError('invalid-input', `this backup can't be restored: ${why}`);
}
