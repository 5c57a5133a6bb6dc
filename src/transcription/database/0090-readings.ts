import { sql } from 'kysely';
import type { Migration } from '../../engine/database/database.ts';

/** Confidence of a page, facts about its image, and how often a document was resumed. */
export const readings: Migration = {
  name: '0090-readings',
  async up(transaction) {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};

const columns = [
  `"quality" TEXT`,
  `"confidence" DOUBLE PRECISION`,
  `"words" BIGINT`,
  `"language" TEXT`,
  `"width" BIGINT`,
  `"height" BIGINT`,
  `"dpi" DOUBLE PRECISION`,
  `"hasText" BIGINT`,
];

const statements = [
  ...columns.map((column) => `ALTER TABLE "transcription_page" ADD COLUMN ${column}`),
  // Few pages are doubtful or empty, so the filter reads only those.
  `CREATE INDEX "transcription_page_quality" ON "transcription_page" ("document", "quality", "position")
     WHERE "quality" IS NOT NULL`,
  // Progress is asked for often: the counts and the mean confidence come from the index alone.
  `CREATE INDEX "transcription_page_reading" ON "transcription_page" ("document", "state", "quality", "confidence", "words")`,
  `ALTER TABLE "transcription_document" ADD COLUMN "resumed" BIGINT NOT NULL DEFAULT 0`,
];
