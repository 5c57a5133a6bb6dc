import { join, resolve } from 'node:path';
import { z } from 'zod';
import { backupDirectory, backupName } from '../../backup/backup-directory.ts';
import { makeDirectory } from '../../files/make-directory.ts';
import { reasonOf } from '../../files/system-error.ts';
import { PismakError } from '../../ground/errors.ts';
import { defineOperation } from '../operation.ts';

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

export const backupOperations = [backupCreate];
