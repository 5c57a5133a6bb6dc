import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/** The hash that the sender of an upload announced. Never edit this after a release. */
export const uploads: Migration = {
  name: '0060-uploads',
  async up(transaction) {
    await sql.raw('ALTER TABLE "upload" ADD COLUMN "expectedHash" TEXT').execute(transaction);
  },
};
