import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { defineOperation } from '../operation.ts';

export const backupCreate = defineOperation({
  name: 'backup.create',
  deadlineMs: 24 * 3_600_000,
  summary: "Back up everything into one file on the server's machine, while it runs",
  role: 'admin',
  owner: 'none',
  changes: true,
  input: z.strictObject({
    file: z
      .string()
      .max(4000)
      .refine((file) => isAbsolute(file) && !file.includes('\0'), {
        error: 'must be an absolute path on the server',
      })
      .describe("Absolute path on the server's machine"),
  }),
  output: z.strictObject({
    file: z.string(),
    version: z.string(),
    createdAt: z.number(),
    blobs: z.strictObject({ count: z.int(), bytes: z.number() }),
  }),
  example: { file: '/var/backups/pismak.tar' },
  async handler({ engine }, { file }) {
    const { createBackup } = await import('../../backup/backup.ts');
    const { version, createdAt, blobs } = await createBackup(engine, file);
    return { file, version, createdAt, blobs };
  },
});

export const backupOperations = [backupCreate];
