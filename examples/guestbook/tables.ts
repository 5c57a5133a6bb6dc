import { sql } from 'kysely';
import type { Database, Migration, Queries } from '../../src/engine/database/database.ts';

/** Names begin with the house's, so that two houses never want the same table. */
export interface GuestbookTables {
  guestbook_entry: { id: string; owner: string; text: string; createdAt: number };
}

export const createEntries: Migration = {
  name: '0001-entries',
  async up(transaction) {
    await sql`CREATE TABLE "guestbook_entry" ("id" TEXT PRIMARY KEY, "owner" TEXT NOT NULL, "text" TEXT NOT NULL,
      "createdAt" BIGINT NOT NULL)`.execute(transaction);
  },
};

export function entryQueries({ database }: { database: Database }): Queries<GuestbookTables> {
  return database.withTables<GuestbookTables>().query;
}
