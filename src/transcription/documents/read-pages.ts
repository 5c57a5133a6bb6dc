import type { Queries } from '../database/database.ts';
import { filesOf } from './page-list.ts';

const atOnce = 500;

/** A page that was read, with its results by name. */
export interface ReadPage {
  id: string;
  /** Counted from 1 through the whole document, unread pages included. */
  number: number;
  name: string;
  part: number | null;
  hasText: number | null;
  quality: string | null;
  files: ReadonlyMap<string, { hash: string; size: number }>;
}

/** Yields the pages of a document or source that were read, in order. */
export async function* readPagesOf(
  queries: Queries,
  document: string,
  source?: string,
): AsyncGenerator<ReadPage, undefined> {
  let number = 0;
  for (let after = -1; ; ) {
    // Page by position: an offset would count all earlier pages each time.
    let query = queries
      .selectFrom('transcription_page')
      .select(['id', 'position', 'name', 'part', 'state', 'hasText', 'quality'])
      .where('document', '=', document)
      .where('position', '>', after);
    if (source !== undefined) query = query.where('source', '=', source);
    const some = await query.orderBy('position').limit(atOnce).execute();
    after = some.at(-1)?.position ?? after;
    const files = await filesOf(
      queries,
      some.map(({ id }) => id),
    );
    for (const { id, name, part, state, hasText, quality } of some) {
      number++;
      if (state !== 'done') continue;
      const results = new Map(
        (files.get(id) ?? []).map(({ name: file, hash, size }) => [file, { hash, size }]),
      );
      yield { id, number, name, part, hasText, quality, files: results };
    }
    if (some.length < atOnce) return undefined;
  }
}
