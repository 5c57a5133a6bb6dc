import type { Database, Queries } from '../../src/engine/database/database.ts';

/** Names begin with the house's, so that two houses never want the same table. */
export interface GuestbookTables {
  guestbook_entry: { id: string; owner: string; text: string; createdAt: number };
}

/** The engine's database, seen with the house's tables. */
export function entryQueries({ database }: { database: Database }): Queries<GuestbookTables> {
  return database.withTables<GuestbookTables>().query;
}
