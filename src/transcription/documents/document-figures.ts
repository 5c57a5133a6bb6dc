import type { Clock } from '../../engine/time/clock.ts';
import type { Queries } from '../database/database.ts';
import { foldedName } from '../text/fold.ts';
import type { DocumentRow } from './document.ts';
import { countAllPages } from './progress.ts';

/**
 * Stores with the document what lists are sorted by. Pages never update it: they would wait for each other. While a document is
 * being read, it happens every few seconds; and once more when it has ended.
 */
export async function storeFigures(
  queries: Queries,
  { id, name, nameKey }: Pick<DocumentRow, 'id' | 'name' | 'nameKey'>,
  { onlyIn }: { onlyIn?: readonly string[] } = {},
): Promise<void> {
  const figures = (await countAllPages(queries, [id])).get(id);
  const texts = await queries
    .selectFrom('transcription_pageText')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('document', '=', id)
    .executeTakeFirst();
  const pageCount = figures?.total ?? 0;
  const withoutText = Math.max(0, pageCount - Number(texts?.count ?? 0));
  const meanConfidence = figures?.confidence ?? -1;
  await queries
    .updateTable('transcription_document')
    // A process of an earlier version makes documents without the key.
    .set({ pageCount, withoutText, meanConfidence, nameKey: nameKey || foldedName(name) })
    .where('id', '=', id)
    // What was counted before the document ended must not replace what was counted then.
    .$if(onlyIn !== undefined, (query) => query.where('state', 'in', onlyIn ?? []))
    .execute();
}

/** Lists may be this old: counting the pages of a long document takes tens of milliseconds. */
const figuresMs = 5000;

/** Says when the figures of a document that is being read should be stored. */
export class FiguresDue {
  readonly #clock: Clock;
  readonly #stored = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isDue(document: string): boolean {
    const now = this.#clock.now();
    if (now - (this.#stored.get(document) ?? Number.NEGATIVE_INFINITY) < figuresMs) return false;
    this.#stored.set(document, now);
    return true;
  }

  forget(document: string): void {
    this.#stored.delete(document);
  }
}

/** Pages without text, of one document, or of all of an owner's, or of everybody's. */
export async function pagesWithoutText(
  queries: Queries,
  { owner, document }: { owner: string | undefined; document: string | undefined },
): Promise<number> {
  let query = queries
    .selectFrom('transcription_document')
    .select(({ fn }) => fn.sum('withoutText').as('count'));
  if (document !== undefined) query = query.where('id', '=', document);
  if (owner !== undefined) query = query.where('owner', '=', owner);
  return Number((await query.executeTakeFirst())?.count ?? 0);
}
