import type { Engine } from '../../engine/composition/engine.ts';
import type { Progress } from '../../engine/sample/sample.ts';
import { documentQueries } from '../database/database.ts';
import { activeStates } from './document.ts';

const mostDocuments = 50;

/** How far the newest unfinished documents have come: pages that have ended. More pages may still be found. */
export async function documentsProgress(engine: Pick<Engine, 'database'>): Promise<Progress[]> {
  const queries = documentQueries(engine);
  const documents = await queries
    .selectFrom('transcription_document')
    .select(['id', 'owner', 'name'])
    .where('state', 'in', activeStates)
    .orderBy('id', 'desc')
    .limit(mostDocuments)
    .execute();
  if (documents.length === 0) return [];
  const ids = documents.map(({ id }) => id);
  const rows = await queries
    .selectFrom('transcription_page')
    .select(({ fn }) => ['document', 'state', fn.countAll().as('count')])
    .where('document', 'in', ids)
    .groupBy(['document', 'state'])
    .execute();
  return documents.map(({ id, owner, name }) => {
    const own = rows.filter(({ document }) => document === id);
    const sum = (some: typeof rows) => some.reduce((all, { count }) => all + Number(count), 0);
    const total = sum(own);
    return {
      kind: 'document',
      entity: id,
      owner,
      name,
      done: total - sum(own.filter(({ state }) => state === 'waiting')),
      total,
    };
  });
}
