import { sql } from 'kysely';
import type { Migration } from '../../engine/database/database.ts';

/** Keeps reads cheap in large installations: owners in the search index, and stored page numbers. */
export const cheapReads: Migration = {
  name: '0060-cheap-reads',
  async up(transaction, dialect) {
    for (const statement of [...pageNumbers, ...(dialect === 'sqlite' ? sqliteOwners : postgresOwners)]) {
      await sql.raw(statement).execute(transaction);
    }
  },
};

const pageNumbers = [
  `CREATE TABLE "transcription_pageNumber" ("document" TEXT NOT NULL, "number" BIGINT NOT NULL, "page" TEXT NOT NULL UNIQUE,
     PRIMARY KEY ("document", "number"))`,
  `CREATE TABLE "transcription_numbering" ("document" TEXT PRIMARY KEY, "numberedTo" BIGINT NOT NULL)`,
  // Lists are ordered by position; without it in the index, each would sort all pages of the document.
  `DROP INDEX "transcription_page_state"`,
  `CREATE INDEX "transcription_page_state" ON "transcription_page" ("document", "state", "position")`,
  `DROP INDEX "transcription_page_ended"`,
  `CREATE INDEX "transcription_page_ended" ON "transcription_page" ("document", "endedAt", "position")`,
];

/** The word of `ownerWord`, before the others. */
const sqliteOwners = [
  `UPDATE "transcription_pageSearch" SET "folded" = (SELECT '§' || lower(hex("owner")) FROM "transcription_pageText"
     WHERE "id" = "transcription_pageSearch"."rowid") || ' ' || "folded"`,
];

const postgresOwners = [
  `UPDATE "transcription_pageText" SET "search" = ('''§' || encode(convert_to("owner", 'UTF8'), 'hex') || '''')::TSVECTOR
     || "search"`,
];
