import { join, resolve } from 'node:path';
import { z } from 'zod';
import { backupDirectory, backupName } from '../../backup/backup-directory.ts';
import type { BackupManifest } from '../../backup/backup-format.ts';
import { makeDirectory } from '../../files/make-directory.ts';
import { reasonOf } from '../../files/system-error.ts';
import { PismakError } from '../../ground/errors.ts';
import { sentence } from '../../ground/sentence.ts';
import { defineOperation } from '../operation.ts';
import { page } from './inputs.ts';

export const backupCreate = defineOperation({
  name: 'backup.create',
  stores: true,
  deadlineMs: 24 * 3_600_000,
  summary: "Back up everything into one file in the server's backup directory, while it runs",
  role: 'admin',
  owner: 'none',
  changes: true,
  input: z.strictObject({
    name: backupName.describe('Name of the new file in the backup directory (setting `backup.directory`)'),
  }),
  output: z.strictObject({
    file: z.string().describe("Path on the server's machine"),
    version: z.string(),
    createdAt: z.number(),
    blobs: z.strictObject({ count: z.int(), bytes: z.number() }),
  }),
  example: { name: 'pismak-2026-01-31.tar' },
  async handler({ engine }, { name }) {
    const { createBackup } = await import('../../backup/backup.ts');
    const directory = resolve(backupDirectory(engine.settings));
    await makeDirectory(directory, { mode: 0o700 }).catch((cause: unknown) => {
      const message = `the backup directory ${directory} can't be made: ${reasonOf(cause)}; choose another with the setting backup.directory`;
      throw new PismakError('unavailable', message, { cause });
    });
    const file = join(directory, name);
    const { version, createdAt, blobs } = await createBackup(engine, file);
    return { file, version, createdAt, blobs };
  },
});

export const backupList = defineOperation({
  name: 'backup.ls',
  summary: 'List the backups in the backup directory of the server, newest first, and how to restore one',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: z.strictObject({ ...page, limit: page.limit.unwrap().max(200).default(50) }),
  output: z.strictObject({
    backups: z.array(
      z.strictObject({
        name: z.string(),
        size: z.number().describe('Bytes'),
        writtenAt: z.number(),
        contents: z
          .strictObject({
            version: z.string().describe('Version of Pismak that wrote it'),
            createdAt: z.number().describe('The moment that it preserves'),
            parts: z.array(z.string()).describe('What it has besides blobs'),
            blobs: z.strictObject({ count: z.int(), bytes: z.number() }),
            users: z.int().describe('Users who can sign in after a restore'),
          })
          .nullable()
          .describe('Null: it is not a whole backup'),
      }),
    ),
    directory: z.string().describe("On the server's machine"),
    restore: sentence.describe('How to restore one'),
  }),
  example: {},
  async handler({ engine }, part) {
    const { howToRestore, listBackups } = await import('../../backup/list-backups.ts');
    const { settings } = engine;
    const backups = await listBackups(settings, part);
    return {
      backups: backups.map(({ manifest, ...file }) => ({
        ...file,
        contents: manifest && contentsOf(manifest),
      })),
      directory: resolve(backupDirectory(settings)),
      restore: howToRestore(settings, resolve(settings.data)),
    };
  },
});

function contentsOf({ version, createdAt, parts, blobs, accounts }: BackupManifest) {
  const names = parts.map(({ name }) => name);
  return { version, createdAt, parts: names, blobs, users: accounts.users.length };
}

export const backupOperations = [backupList, backupCreate];
