import { createDistinctNames } from '../../engine/files/safe-names.ts';
import type { Queries } from '../database/database.ts';
import type { PageRow, SourceRow } from '../documents/document.ts';

type Named = Pick<PageRow, 'name' | 'part'>;

/**
 * Gives pages distinct names. Files in an archive may share a name: a second `scan.png` becomes `scan~2.png`, so that saved
 * results don't overwrite each other.
 */
export async function withDistinctNames<Page extends Named>(
  queries: Queries,
  source: Pick<SourceRow, 'id' | 'document' | 'name'>,
  pages: readonly Page[],
): Promise<Page[]> {
  // Pages of a source that is not an archive share its name and differ in their parts.
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

/** Makes names distinct, also from those of earlier pages. Pages of one file keep its name. */
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
