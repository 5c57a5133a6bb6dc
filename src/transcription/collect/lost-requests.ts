import { giveUp } from '../../engine/blobs/owners/blob-erasure.ts';
import { requestOwner } from '../../engine/results/result-files.ts';
import { everyPeriod, type Running, runService } from '../../engine/service/service.ts';
import { Bell } from '../../engine/time/bell.ts';
import { sleep } from '../../engine/time/clock.ts';
import type { Engine } from '../database/database.ts';
import { activeStates, type DocumentRow, tellChange } from '../documents/document.ts';
import { finishIfComplete } from '../documents/finish-document.ts';
import { releasedRequests } from '../documents/progress.ts';

const periodMs = 60_000;
/** To ask for all of them reads all queues: not more often, however often queues are changed. */
const restMs = 5_000;

/**
 * Ends what would stay under way for ever: pages and sources whose message is in no queue any more, because somebody purged it,
 * discarded it with the dead letters, or deleted the queue. An elected service, needed now and then, and when queues were changed.
 *
 * A request is in the backlog, then in a queue, then taken in; it leaves each only when the next has it. So what is asked for
 * in this order, and found nowhere, is lost; if it was just taken in, its row has changed and stays as it is.
 */
export function runLostRequests(engine: Engine): Running {
  const { broker, changes, clock, log, openSession } = engine;
  // Not every server can be asked where a message is. Never guess: there it waits until it is cancelled.
  if (!broker.whichExist) return { close: async () => {} };
  const bell = new Bell();
  const unsubscribe = changes.subscribe(({ kind }) => {
    if (kind === 'queue') bell.ring();
  });
  const name = 'transcription.lost';
  const service = runService({
    ...{ name, clock, log, openSession },
    run: ({ signal }) =>
      everyPeriod({ name, clock, log, periodMs, signal, bell }, async () => {
        await endLost(engine);
        await sleep(clock, restMs, signal);
        return undefined;
      }),
  });
  return {
    async close() {
      unsubscribe();
      await service.close();
    },
  };
}

/** A request that is under way for a page or a source. */
interface Released {
  document: DocumentRow;
  table: 'page' | 'source';
  id: string;
  request: string;
}

async function endLost(engine: Engine): Promise<void> {
  const { broker, database } = engine;
  const documents = await database.query
    .selectFrom('transcription_document as document')
    .selectAll()
    .where('state', 'in', activeStates)
    .execute();
  const all: Released[] = [];
  for (const document of documents) {
    for (const table of ['page', 'source'] as const) {
      for (const one of await releasedRequests(database.query, table, document.id))
        all.push({ document, table, ...one });
    }
  }
  const requests = all.map(({ request }) => request);
  const existing = new Set(requests.length > 0 ? await broker.whichExist?.(requests) : []);
  const changed = new Set<DocumentRow>();
  for (const one of all) {
    if (!existing.has(one.request) && (await fail(engine, one))) changed.add(one.document);
  }
  for (const document of documents) {
    // Also when nothing was lost now: whoever ended the last one may not have got this far.
    if (!(await finishIfComplete(engine, document.id)) && changed.has(document))
      tellChange(engine, document, document.state);
  }
}

async function fail(engine: Engine, { document, table, id, request }: Released): Promise<boolean> {
  const { clock, database, events } = engine;
  const { owner } = document;
  const now = clock.now();
  const isEnded = await database.transaction(async (transaction) => {
    const changed = await transaction
      .updateTable(`transcription_${table}` as const)
      .set({ state: 'failed', error: reason, ...(table === 'page' && { endedAt: now }) })
      .where('id', '=', id)
      .where('request', '=', request)
      .where('state', '=', 'waiting')
      .executeTakeFirst();
    if (Number(changed.numUpdatedRows) === 0) return false;
    await giveUp(transaction, requestOwner({ uuid: request, owner }), now);
    return true;
  });
  if (isEnded && table === 'page') {
    const dimensions = { document: document.id };
    events.emit({ kind: 'page.failed', entity: id, user: owner, at: now, dimensions });
  }
  return isEnded;
}

const reason =
  'it is in no queue any more: it was purged, or discarded with the dead letters; `pismak document retry` sends it again';
