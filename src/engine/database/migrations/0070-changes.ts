import { sql } from 'kysely';
import type { Migration } from '../database.ts';

/** The list of changes that all processes of a cluster tell from; an embedded installation has it in memory. Never edit this after a release. */
export const changes: Migration = {
  name: '0070-changes',
  async up(transaction) {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};

const statements = [
  `CREATE TABLE "change" ("id" BIGINT PRIMARY KEY, "changeJson" TEXT NOT NULL)`,
  `CREATE TABLE "changeCount" ("name" TEXT PRIMARY KEY, "last" BIGINT NOT NULL)`,
];
