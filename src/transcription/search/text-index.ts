import { sql } from 'kysely';
import type { Database, Queries } from '../database/database.ts';
import { foldedText } from '../text/fold.ts';
import { type Term, toFts5, toTsquery } from './query.ts';

/** Longer than any page. PostgreSQL could not index much more. */
const longestText = 100_000;

export interface PageText {
  page: string;
  document: string;
  owner: string;
  text: string;
}

/** The full text of all pages. SQLite uses FTS5, PostgreSQL a tsvector; both get words that we have folded. */
export interface TextIndex {
  /** Runs in the caller's transaction and replaces the page's old text. */
  put(transaction: Queries, text: PageText): Promise<void>;
  removePages(transaction: Queries, pages: readonly string[]): Promise<void>;
  /** The ids of the pages that match, best first; only of the given owner and document, if any. */
  search(query: TextQuery): Promise<string[]>;
}

export interface TextQuery {
  terms: readonly Term[];
  owner?: string | undefined;
  document?: string | undefined;
  offset: number;
  limit: number;
}

export function createTextIndex(database: Database): TextIndex {
  const dialect = database.dialect === 'sqlite' ? sqlite : postgres;

  async function removePages(transaction: Queries, pages: readonly string[]): Promise<void> {
    await dialect.removeFromIndex(transaction, pages);
    await transaction.deleteFrom('transcription_pageText').where('page', 'in', pages).execute();
  }

  return {
    async put(transaction, { text, ...of }) {
      const cut = text.slice(0, longestText).replaceAll('\0', ' ').toWellFormed();
      await removePages(transaction, [of.page]);
      await dialect.insert(
        transaction,
        { ...of, text: cut },
        `${ownerWord(of.owner)} ${foldedText(cut)}`.trimEnd(),
      );
    },
    removePages,
    async search({ terms, owner, document, offset, limit }) {
      // The index selects the owner's pages; otherwise the cost of a search would depend on everybody's pages.
      const wanted = owner === undefined ? terms : [{ words: [ownerWord(owner)], prefix: false }, ...terms];
      let query = database.query
        .selectFrom('transcription_pageText as pageText')
        .select('pageText.page')
        .offset(offset)
        .limit(limit);
      if (owner !== undefined) query = query.where('pageText.owner', '=', owner);
      if (document !== undefined) query = query.where('pageText.document', '=', document);
      if (dialect === sqlite) {
        const hits = await query
          .innerJoin(
            sql<{ rowid: number; rank: number }>`(SELECT "rowid", "rank" FROM "transcription_pageSearch"
              WHERE "transcription_pageSearch" MATCH ${toFts5(wanted)})`.as('hit'),
            'hit.rowid',
            'pageText.id',
          )
          .orderBy('hit.rank')
          .orderBy('pageText.id')
          .execute();
        return hits.map(({ page }) => page);
      }
      const tsquery = sql`${toTsquery(wanted)}::TSQUERY`;
      const hits = await query
        .where(sql<boolean>`"search" @@ ${tsquery}`)
        .orderBy(sql`ts_rank("search", ${tsquery})`, 'desc')
        .orderBy('pageText.id')
        .execute();
      return hits.map(({ page }) => page);
    },
  };
}

/** Precedes the words of a page in the index. Words never contain `§`, so no text or query can match it. */
export function ownerWord(owner: string): string {
  return `§${Buffer.from(owner).toString('hex')}`;
}

const sqlite = {
  async insert(transaction: Queries, row: PageText, folded: string): Promise<void> {
    await sql`INSERT INTO "transcription_pageText" ("page", "document", "owner", "text")
      VALUES (${row.page}, ${row.document}, ${row.owner}, ${row.text})`.execute(transaction);
    await sql`INSERT INTO "transcription_pageSearch" ("rowid", "folded")
      SELECT "id", ${folded} FROM "transcription_pageText" WHERE "page" = ${row.page}`.execute(transaction);
  },
  async removeFromIndex(transaction: Queries, pages: readonly string[]): Promise<void> {
    await sql`DELETE FROM "transcription_pageSearch" WHERE "rowid" IN
      (SELECT "id" FROM "transcription_pageText" WHERE "page" IN (${sql.join(pages)}))`.execute(transaction);
  },
};

/** Written out, so that we define words, not a parser or dictionary of the server. */
function toTsvector(folded: string): string {
  const words = folded === '' ? [] : folded.split(' ');
  return words.map((word, index) => `'${word}':${Math.min(index + 1, 16_383)}`).join(' ');
}

const postgres = {
  async insert(transaction: Queries, row: PageText, folded: string): Promise<void> {
    await sql`INSERT INTO "transcription_pageText" ("page", "document", "owner", "text", "search")
      VALUES (${row.page}, ${row.document}, ${row.owner}, ${row.text}, ${toTsvector(folded)}::TSVECTOR)`.execute(
      transaction,
    );
  },
  /** The index is a column of the row. */
  async removeFromIndex(): Promise<void> {},
};
