import { sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { DocumentParts } from './document.ts';

/*
 * Pages are numbered from 1 through the whole document, by position. Sources are opened in any order, so a number is final
 * only when all earlier sources have been opened. It is then stored once. Numbers up to a position (`numberedTo`) are stored;
 * later ones are counted on request.
 *
 * Numbers have their own table, because updating page rows would conflict with pages that end meanwhile.
 */

/** Stores the numbers unless a source is still waiting. Cheap if they are stored already. */
export async function numberPages(
  { database }: Pick<DocumentParts, 'database'>,
  document: string,
): Promise<void> {
  if (await hasWaitingSource(database.query, document)) return;
  if ((await firstUncounted(database.query, document)) === undefined) return;
  await database.transaction(async (transaction) => {
    if (await hasWaitingSource(transaction, document)) return;
    const { to, count } = await numbered(transaction, document);
    const last = await transaction
      .selectFrom('transcription_page')
      .select('position')
      .where('document', '=', document)
      .orderBy('position', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (!last || last.position <= to) return;
    await transaction
      .deleteFrom('transcription_pageNumber')
      .where('document', '=', document)
      .where('number', '>', count)
      .execute();
    await transaction
      .insertInto('transcription_pageNumber')
      .columns(['document', 'number', 'page'])
      .expression((from) =>
        from
          .selectFrom('transcription_page')
          .select([
            'document',
            sql<number>`${sql.lit(count)} + row_number() OVER (ORDER BY "position")`.as('number'),
            'id',
          ])
          .where('document', '=', document)
          .where('position', '>', to),
      )
      .execute();
    const numberedTo = last.position;
    await transaction
      .insertInto('transcription_numbering')
      .values({ document, numberedTo })
      .onConflict((conflict) => conflict.column('document').doUpdateSet({ numberedTo }))
      .execute();
  });
}

/** Drops numbers from this position on. Call it in the transaction that adds pages there. */
export async function forgetNumbers(transaction: Queries, document: string, from: number): Promise<void> {
  await transaction
    .updateTable('transcription_numbering')
    .set({ numberedTo: from - 1 })
    .where('document', '=', document)
    .where('numberedTo', '>=', from)
    .execute();
}

export async function dropNumbers(transaction: Queries, document: string): Promise<void> {
  await transaction.deleteFrom('transcription_pageNumber').where('document', '=', document).execute();
  await transaction.deleteFrom('transcription_numbering').where('document', '=', document).execute();
}

/** The numbers of some pages of a document, by id. */
export async function numbersOf(
  queries: Queries,
  document: string,
  pages: readonly { id: string; position: number }[],
): Promise<Map<string, number>> {
  if (pages.length === 0) return new Map();
  const { to, count } = await numbered(queries, document);
  const ids = (some: typeof pages) => some.map(({ id }) => id);
  const numbers = new Map<string, number>();
  const stored = ids(pages.filter(({ position }) => position <= to));
  if (stored.length > 0) {
    const rows = await queries
      .selectFrom('transcription_pageNumber')
      .select(['page', 'number'])
      .where('page', 'in', stored)
      .execute();
    for (const { page, number } of rows) numbers.set(page, number);
  }
  const others = ids(pages.filter(({ position }) => position > to));
  if (others.length > 0) {
    const rows = await queries
      .selectFrom((from) =>
        from
          .selectFrom('transcription_page')
          .select(['id', sql<number>`row_number() OVER (ORDER BY "position")`.as('number')])
          .where('document', '=', document)
          .where('position', '>', to)
          .as('counted'),
      )
      .select(['id', 'number'])
      .where('id', 'in', others)
      .execute();
    for (const { id, number } of rows) numbers.set(id, count + Number(number));
  }
  return numbers;
}

/** The id of the page with this number or id; undefined if the document has no such page. */
export async function findPage(
  queries: Queries,
  document: string,
  named: number | string,
): Promise<string | undefined> {
  const pages = queries.selectFrom('transcription_page').select('id').where('document', '=', document);
  if (typeof named === 'string') return (await pages.where('id', '=', named).executeTakeFirst())?.id;
  const { to, count } = await numbered(queries, document);
  if (named > count) {
    const behind = pages.where('position', '>', to).orderBy('position');
    return (
      await behind
        .offset(named - count - 1)
        .limit(1)
        .executeTakeFirst()
    )?.id;
  }
  const found = await queries
    .selectFrom('transcription_pageNumber')
    .select('page')
    .where('document', '=', document)
    .where('number', '=', named)
    .executeTakeFirst();
  return found?.page;
}

/** The position up to which numbers are stored, and their count. */
async function numbered(queries: Queries, document: string): Promise<{ to: number; count: number }> {
  const numbering = await queries
    .selectFrom('transcription_numbering')
    .select('numberedTo')
    .where('document', '=', document)
    .executeTakeFirst();
  if (!numbering) return { to: -1, count: 0 };
  const last = await queries
    .selectFrom('transcription_page as page')
    .innerJoin('transcription_pageNumber as number', 'number.page', 'page.id')
    .select('number.number')
    .where('page.document', '=', document)
    .where('page.position', '<=', numbering.numberedTo)
    .orderBy('page.position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { to: numbering.numberedTo, count: last?.number ?? 0 };
}

async function firstUncounted(queries: Queries, document: string): Promise<string | undefined> {
  const { to } = await numbered(queries, document);
  const first = await queries
    .selectFrom('transcription_page')
    .select('id')
    .where('document', '=', document)
    .where('position', '>', to)
    .limit(1)
    .executeTakeFirst();
  return first?.id;
}

async function hasWaitingSource(queries: Queries, document: string): Promise<boolean> {
  const waiting = await queries
    .selectFrom('transcription_source')
    .select('id')
    .where('document', '=', document)
    .where('state', '=', 'waiting')
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}
