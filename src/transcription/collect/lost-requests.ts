import { giveUp } from '../../engine/blob-owners/blob-erasure.ts';
import { requestOwner } from '../../engine/request/result-files.ts';
import { everyPeriod, type Running, runService } from '../../engine/service/service.ts';
import { sleep } from '../../engine/time/clock.ts';
import { WakeUp } from '../../engine/time/wake-up.ts';
import type { Engine } from '../database/database.ts';
import { activeStates, type DocumentRow, tellChange } from '../documents/document.ts';
import { finishIfComplete } from '../documents/finish-document.ts';
import { releasedRequests } from '../documents/progress.ts';

const periodMs = 60_000;
/** Minimum pause between searches, because each reads all queues. */
const restMs = 5_000;

/**
 * Fails pages and sources whose messages were purged, discarded with the dead letters, or deleted with their queue; they
 * would otherwise run for ever. An elected service that runs once a minute and after changes to queues.
 *
 * A request moves from the backlog to a queue and is then collected. It leaves each place only after the next has it, so a
 * request found in none of them, in this order, is lost. If it was collected meanwhile, its row has changed and stays.
 */
export function runLostRequests(engine: Engine): Running {
  const { broker, changes, clock, log, openSession } = engine;
  // Some brokers can't say where a message is. There, lost pages wait until the user retries or cancels.
  if (!broker.whichExist) return { close: async () => {} };
  const wakeUp = new WakeUp();
  const unsubscribe = changes.subscribe(({ kind }) => {
    if (kind === 'queue') wakeUp.wake();
  });
  const name = 'transcription.lost';
  const service = runService({
    name,
    clock,
    log,
    openSession,
    run: ({ signal }) =>
      everyPeriod({ name, clock, log, periodMs, signal, wakeUp }, async () => {
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
    // Even if nothing was lost: the process that ended the last page may have died before finishing the document.
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
  'its message was purged from a queue or discarded with the dead letters; `pismak document retry` sends it again';
