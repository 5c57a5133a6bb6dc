import { sql, type Transaction } from 'kysely';
import type { Migration } from '../../engine/database/database.ts';
import { chunks } from '../../engine/ground/chunks.ts';
import { foldedName } from '../text/fold.ts';

/** What lists of documents are sorted and filtered by, keywords, and stored views of pages. */
export const lists: Migration = {
  name: '0150-lists',
  async up(transaction, dialect) {
    // Both databases then sort and match folded words alike.
    const text = dialect === 'sqlite' ? 'TEXT' : 'TEXT COLLATE "C"';
    for (const statement of [...columns(text), ...fill]) await sql.raw(statement).execute(transaction);
    await foldNames(transaction);
    for (const statement of [...keywords(text), ...indexes]) await sql.raw(statement).execute(transaction);
  },
};

const columns = (text: string) => [
  `ALTER TABLE "transcription_document" ADD COLUMN "nameKey" ${text} NOT NULL DEFAULT ''`,
  `ALTER TABLE "transcription_document" ADD COLUMN "pageCount" BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE "transcription_document" ADD COLUMN "withoutText" BIGINT NOT NULL DEFAULT 0`,
  `ALTER TABLE "transcription_document" ADD COLUMN "meanConfidence" DOUBLE PRECISION NOT NULL DEFAULT -1`,
  `ALTER TABLE "transcription_page" ADD COLUMN "doubtfulWords" BIGINT`,
  `ALTER TABLE "transcription_page" ADD COLUMN "keywordsJson" TEXT`,
  `ALTER TABLE "transcription_page" ADD COLUMN "thumbnailHash" TEXT`,
  `ALTER TABLE "transcription_page" ADD COLUMN "thumbnailSize" BIGINT`,
  `ALTER TABLE "transcription_page" ADD COLUMN "viewHash" TEXT`,
  `ALTER TABLE "transcription_page" ADD COLUMN "viewSize" BIGINT`,
];

const fill = [
  `UPDATE "transcription_document" SET
     "pageCount" = (SELECT count(*) FROM "transcription_page" p WHERE p."document" = "transcription_document"."id"),
     "withoutText" = (SELECT count(*) FROM "transcription_page" p WHERE p."document" = "transcription_document"."id")
       - (SELECT count(*) FROM "transcription_pageText" t WHERE t."document" = "transcription_document"."id"),
     "meanConfidence" = coalesce((SELECT sum(p."confidence" * p."words") / nullif(sum(p."words"), 0)
       FROM "transcription_page" p
       WHERE p."document" = "transcription_document"."id" AND p."confidence" IS NOT NULL), -1)`,
];

const keywords = (text: string) => [
  `CREATE TABLE "transcription_keyword" ("document" TEXT NOT NULL, "key" ${text} NOT NULL, "owner" TEXT NOT NULL,
     "word" TEXT NOT NULL, "count" BIGINT NOT NULL, "pages" BIGINT NOT NULL, PRIMARY KEY ("document", "key"))`,
  `CREATE INDEX "transcription_keyword_key" ON "transcription_keyword" ("key", "document")`,
  `CREATE INDEX "transcription_keyword_owner" ON "transcription_keyword" ("owner", "key")`,
];

/** Each order of a list has an index for administrators and one for owners, so that no page of it sorts anything. */
const indexes = [
  ...['nameKey', 'pageCount', 'meanConfidence'].flatMap((column) => [
    `CREATE INDEX "transcription_document_${column}" ON "transcription_document" ("${column}", "id")`,
    `CREATE INDEX "transcription_document_owner_${column}" ON "transcription_document" ("owner", "${column}", "id")`,
  ]),
  `CREATE INDEX "transcription_document_state" ON "transcription_document" ("state", "id")`,
  `DROP INDEX "transcription_document_owner_state"`,
  `CREATE INDEX "transcription_document_owner_state" ON "transcription_document" ("owner", "state", "id")`,
];

async function foldNames(transaction: Transaction<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string; name: string }>`
    SELECT "id", "name" FROM "transcription_document"`.execute(transaction);
  for (const some of chunks(rows, 500)) {
    const values = some.map(({ id, name }) => sql`(${id}, ${foldedName(name)})`);
    await sql`UPDATE "transcription_document" SET "nameKey" = "given"."column2"
      FROM (VALUES ${sql.join(values)}) AS "given" WHERE "id" = "given"."column1"`.execute(transaction);
  }
}
