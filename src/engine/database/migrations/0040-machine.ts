import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/** Times that the installation remembers: when it last ran, and when it was last able to write. */
export const machine: Migration = {
  name: '0040-machine',
  async up(transaction) {
    await sql
      .raw('CREATE TABLE "moment" ("name" TEXT PRIMARY KEY, "at" BIGINT NOT NULL)')
      .execute(transaction);
  },
};
