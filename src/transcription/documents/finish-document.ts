import { newId } from '../../engine/ground/identity.ts';
import { newRequest } from '../../engine/request/request.ts';
import { requestItem } from '../../engine/request/request-item.ts';
import { type WebhookRequest, webhookFile, webhookStage } from '../../engine/webhook/webhook.ts';
import type { Queries } from '../database/database.ts';
import { activeStates, type DocumentParts, type DocumentRow, tellChange } from './document.ts';
import { storeFigures } from './document-figures.ts';
import { storeKeywords } from './document-keywords.ts';
import { countPages, type PageCounts, readPages } from './progress.ts';

/**
 * Finishes the document if all its sources and pages have ended. Call it after committing the last result: if several
 * results come last at the same time, each call then sees the others, and one of them changes the state.
 */
export async function finishIfComplete(parts: DocumentParts, id: string): Promise<boolean> {
  const { backlog, clock, database, events } = parts;
  // This runs after every page, so it stays outside a transaction and never conflicts with writers.
  if (await isUnderWay(database.query, id)) return false;
  const finished = await database.transaction(async (transaction) => {
    const document = await transaction
      .selectFrom('transcription_document as document')
      .selectAll()
      .where('id', '=', id)
      .where('state', 'in', activeStates)
      .executeTakeFirst();
    if (!document || (await isUnderWay(transaction, id))) return undefined;
    const pages = await countPages(transaction, id);
    const failedSources = await transaction
      .selectFrom('transcription_source as source')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('document', '=', id)
      .where('state', '=', 'failed')
      .executeTakeFirst();
    const failures = pages.failed + Number(failedSources?.count ?? 0);
    const read = readPages(pages);
    const state = failures === 0 && read > 0 ? 'done' : read > 0 ? 'partly' : 'failed';
    const endedAt = clock.now();
    await transaction
      .updateTable('transcription_document')
      .set({ state, endedAt })
      .where('id', '=', id)
      .execute();
    await storeFigures(transaction, document);
    await storeKeywords(transaction, document);
    const ended = { ...document, state, endedAt };
    if (document.webhook !== null) await addWebhook(parts, transaction, ended, document.webhook, pages);
    return { document: ended, pages };
  });
  if (!finished) return false;
  backlog.wake();
  const { document, pages } = finished;
  events.emit({
    kind: 'document.finished',
    entity: id,
    user: document.owner,
    at: document.endedAt,
    dimensions: { state: document.state, pages: pages.total, failed: pages.failed },
  });
  tellChange(parts, document, document.state);
  return true;
}

async function isUnderWay(queries: Queries, id: string): Promise<boolean> {
  // Sources first: if a source is opened meanwhile, the second query finds its pages.
  for (const table of ['transcription_source', 'transcription_page'] as const) {
    const one = await queries
      .selectFrom(table)
      .select('id')
      .where('document', '=', id)
      .where('state', '=', 'waiting')
      .limit(1)
      .executeTakeFirst();
    if (one) return true;
  }
  return false;
}

async function addWebhook(
  { backlog, clock }: DocumentParts,
  transaction: Queries,
  document: DocumentRow,
  url: string,
  pages: PageCounts,
): Promise<void> {
  const { id, name, state, endedAt } = document;
  const event = 'document.finished';
  const body = { event, at: endedAt, document: { id, name, state, pages: { ...pages } } };
  const content = Buffer.from(JSON.stringify({ url, event, body } satisfies WebhookRequest));
  const request = newRequest({
    uuid: newId(clock),
    stages: [webhookStage.name],
    files: [{ name: webhookFile, content }],
    startedAt: clock.now(),
    owner: document.owner,
  });
  // Through the backlog, where owners take turns: one owner's thousand webhooks don't delay another's.
  await backlog.add(transaction, [requestItem(request, { batch: `webhook/${request.uuid}` })]);
}
