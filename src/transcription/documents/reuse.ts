import { createHash } from 'node:crypto';
import { chunks } from '../../engine/ground/chunks.ts';
import { version } from '../../engine/ground/version.ts';
import type { Queries } from '../database/database.ts';
import type { DocumentRow, PageRow } from './document.ts';

export interface StageVersion {
  stage: string;
  version: number;
}

/**
 * Pages with the same key give the same result: the key covers their bytes, the stages and their versions, Pismak's version
 * and the order. It includes the page's name, because results contain it.
 */
export function reuseKey(
  document: Pick<DocumentRow, 'language' | 'formatsJson'>,
  page: Pick<PageRow, 'hash' | 'textHash' | 'name' | 'part' | 'dpi'>,
  stages: readonly StageVersion[],
): string {
  const { hash, textHash, name, part, dpi } = page;
  const parts = [
    version,
    stages.map(({ stage, version }) => [stage, version]),
    [hash, textHash, name, part, dpi],
    [document.language, JSON.parse(document.formatsJson)],
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

export type ReusablePage = Pick<
  PageRow,
  | ('id' | 'log' | 'quality' | 'confidence' | 'words' | 'doubtfulWords' | 'unreadLines' | 'language')
  | 'keywordsJson'
>;

/**
 * Finds the owner's finished pages with these keys. Reusing those of others would reveal, by its speed, that somebody else
 * has the same page.
 */
export async function findReusable(
  queries: Queries,
  owner: string,
  keys: readonly string[],
): Promise<Map<string, ReusablePage>> {
  const found = new Map<string, ReusablePage>();
  for (const some of chunks(keys, 500)) {
    const rows = await queries
      .selectFrom('transcription_page as page')
      .innerJoin('transcription_document as document', 'document.id', 'page.document')
      .select(['page.id', 'page.log', 'page.reuseKey'])
      .select(['page.quality', 'page.confidence', 'page.words', 'page.unreadLines', 'page.language'])
      .select(['page.doubtfulWords', 'page.keywordsJson'])
      .where('page.reuseKey', 'in', some)
      .where('page.state', '=', 'done')
      .where('document.owner', '=', owner)
      .execute();
    for (const { reuseKey, ...row } of rows) if (reuseKey !== null) found.set(reuseKey, row);
  }
  return found;
}
