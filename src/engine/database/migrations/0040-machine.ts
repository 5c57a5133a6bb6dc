import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/** Moments that the installation remembers: the last time seen, and that it could write. */
export const machine: Migration = {
  name: '0040-machine',
  async up(transaction) {
    await sql
      .raw('CREATE TABLE "moment" ("name" TEXT PRIMARY KEY, "at" BIGINT NOT NULL)')
      .execute(transaction);
  },
};
