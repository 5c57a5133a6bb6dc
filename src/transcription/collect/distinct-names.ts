import { createDistinctNames } from '../../engine/files/safe-names.ts';
import type { Queries } from '../database/database.ts';
import type { PageRow, SourceRow } from '../documents/document.ts';

type Named = Pick<PageRow, 'name' | 'part'>;

/**
 * Files of an archive may have one name, in different folders or not: a second `scan.png` becomes `scan~2.png`, or it would
 * overwrite the first where results are saved under these names.
 */
export async function withDistinctNames<Page extends Named>(
  queries: Queries,
  source: Pick<SourceRow, 'id' | 'document' | 'name'>,
  pages: readonly Page[],
): Promise<Page[]> {
  // A source that is no archive gives its own name to its pages, which are told apart by their parts.
  if (pages.every(({ name }) => name === source.name)) return [...pages];
  const before = await queries
    .selectFrom('transcription_page')
    .select(['name', 'part'])
    .where('document', '=', source.document)
    .where('source', '=', source.id)
    .orderBy('position')
    .execute();
  return distinctNames(before, pages);
}

/** The pages with names that differ from each other and from those before. Pages of one file keep its name. */
export function distinctNames<Page extends Named>(before: readonly Named[], pages: readonly Page[]): Page[] {
  const ofPart = new Map<number | null, (name: string) => string>();
  const give = ({ name, part }: Named) => {
    const distinct = ofPart.get(part) ?? createDistinctNames();
    ofPart.set(part, distinct);
    return distinct(name);
  };
  for (const page of before) give(page);
  return pages.map((page) => ({ ...page, name: give(page) }));
}
