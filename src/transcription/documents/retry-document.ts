import { giveUp } from '../../engine/blob-owners/blob-erasure.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { newId } from '../../engine/ground/identity.ts';
import { requestOwner } from '../../engine/request/result-files.ts';
import { noProgress } from '../page/order.ts';
import { checkLanguages } from './check-language.ts';
import { type DocumentParts, getDocument, tellChange } from './document.ts';
import { unread } from './page-quality.ts';
import { pipelineStages } from './pipeline-stages.ts';
import { countPagesOf, releasedRequests } from './progress.ts';
import { checkQuota, recordPages } from './quota.ts';
import { pageItem, splitItem } from './requests.ts';
import { refuseCancelled } from './submit-document.ts';
export interface RetryOptions {
  unfinished?: boolean;
  /** Include finished pages. */
  all?: boolean;
}

/**
 * Sends failed pages and sources again. With `unfinished`, also requests that left the backlog and have not returned: the user
 * knows that they are lost. If such a request does return, its result is dropped.
 */
export async function retryDocument(
  parts: DocumentParts,
  id: string,
  options: RetryOptions = {},
): Promise<{ pages: number; sources: number }> {
  const all = { pages: 0, sources: 0 };
  let after: number | undefined = -1;
  // In steps, so that other writers get a turn: a document may have a hundred thousand pages.
  while (after !== undefined) {
    const sent: RetriedStep = await retryStep(parts, id, { ...options, after });
    all.pages += sent.pages;
    all.sources += sent.sources;
    after = sent.last;
  }
  return all;
}

const pagesPerStep = 1000;

interface RetriedStep {
  pages: number;
  sources: number;
  /** The position of the last page, if there may be more. */
  last: number | undefined;
}

/** Sends the next pages after a position; the sources go with the last ones. */
async function retryStep(
  parts: DocumentParts,
  id: string,
  { unfinished = false, all = false, after }: RetryOptions & { after: number },
): Promise<RetriedStep> {
  const { backlog, cancellations, clock, database } = parts;
  const { pipeline } = await getDocument(database.query, id);
  const stages = (await pipelineStages(parts, pipeline)).map(({ stage }) => stage);
  const sent = await database.transaction(async (transaction) => {
    const document = await getDocument(transaction, id);
    refuseCancelled(document);
    const now = clock.now();
    const fresh = { state: 'waiting', error: null, log: '' };
    // Cancelled rows in a document that is not cancelled remain from an interrupted `resume`.
    const states = ['failed', 'cancelled', ...(unfinished ? ['waiting'] : [])];
    const pageStates = all ? [...states, 'done'] : states;
    const isToSend = async (table: 'page' | 'source') => {
      const released = unfinished ? await releasedRequests(transaction, table, id) : [];
      const ids = new Set(released.map((row) => row.id));
      return (row: { id: string; state: string }) => row.state !== 'waiting' || ids.has(row.id);
    };
    /** Cancels a request that we no longer wait for, and gives up its intermediate files. */
    const forget = async (uuid: string | null) => {
      if (uuid === null) return;
      const { owner } = document;
      await cancellations.add(transaction, { owner, names: [uuid] });
      await giveUp(transaction, requestOwner({ uuid, owner }), now);
    };
    const allPages = await transaction
      .selectFrom('transcription_page as page')
      .selectAll()
      .where('document', '=', id)
      .where('state', 'in', pageStates)
      // A page that could not be opened has nothing to send.
      .where('hash', 'is not', null)
      .where('position', '>', after)
      .orderBy('position')
      .limit(pagesPerStep)
      .execute();
    const last = allPages.length < pagesPerStep ? undefined : allPages.at(-1)?.position;
    const items = [];
    let pages = 0;
    const pagesToSend = allPages.filter(await isToSend('page'));
    if (pagesToSend.length > 0) await checkQuota(parts, transaction, document, pagesToSend.length);
    for (const page of pagesToSend) {
      // A new uuid, so a result under the old one counts as late.
      const request = newId(clock);
      const changed = await transaction
        .updateTable('transcription_page')
        .set({ ...fresh, ...unread, request, generation: page.generation + 1, endedAt: null })
        .where('id', '=', page.id)
        .where('state', '=', page.state)
        .executeTakeFirst();
      // Its result has just arrived.
      if (Number(changed.numUpdatedRows) === 0) continue;
      pages++;
      if (page.state === 'waiting') await forget(page.request);
      items.push(pageItem(document, { ...page, hash: page.hash ?? '', request }, stages, now));
    }
    const allSources = await transaction
      .selectFrom('transcription_source as source')
      .selectAll()
      .where('document', '=', id)
      .where('state', 'in', last === undefined ? states : [])
      .orderBy('position')
      .execute();
    let sources = 0;
    for (const source of allSources.filter(await isToSend('source'))) {
      const request = newId(clock);
      const changed = await transaction
        .updateTable('transcription_source')
        .set({ ...fresh, request })
        .where('id', '=', source.id)
        .where('state', '=', source.state)
        .executeTakeFirst();
      if (Number(changed.numUpdatedRows) === 0) continue;
      sources++;
      if (source.state === 'waiting') await forget(source.request);
      const from = { ...noProgress, pages: await countPagesOf(transaction, source) };
      items.push(splitItem(document, { ...source, request }, now, from));
    }
    if (items.length === 0) return { document, pages: 0, sources: 0, last };
    await backlog.add(transaction, items);
    await recordPages(parts, transaction, document, { pages, bytes: 0 });
    await transaction
      .updateTable('transcription_document')
      .set({ state: 'running', endedAt: null })
      .where('id', '=', id)
      .execute();
    return { document, pages, sources, last };
  });
  backlog.wake();
  if (unfinished) await cancellations.announce();
  if (sent.pages + sent.sources > 0) tellChange(parts, sent.document, 'running');
  return sent;
}

/** Reads all pages of a finished document again in another language. */
export async function rereadDocument(
  parts: DocumentParts,
  id: string,
  wanted: string,
): Promise<{ pages: number; sources: number }> {
  const { database } = parts;
  const { pipeline, state } = await getDocument(database.query, id);
  if (!['done', 'partly', 'failed'].includes(state)) {
    const advice = state === 'cancelled' ? 'resume it first' : 'wait until it is finished, or cancel it';
    throw new PismakError('conflict', `document ${id} is ${state}; ${advice}`);
  }
  const language = await checkLanguages(parts, pipeline, wanted);
  await database.query.updateTable('transcription_document').set({ language }).where('id', '=', id).execute();
  return retryDocument(parts, id, { all: true });
}
