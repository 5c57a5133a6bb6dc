import { Bell } from '../../engine/bell.ts';
import { giveUp } from '../../engine/blob-erasure.ts';
import type { Engine } from '../../engine/engine.ts';
import { requestOwner } from '../../engine/results/result-files.ts';
import { everyPeriod, type Running, runService } from '../../engine/service.ts';
import { activeStates, type DocumentRow, tellChange } from '../documents/document.ts';
import { finishIfComplete } from '../documents/finish-document.ts';
import { releasedRequests } from '../documents/progress.ts';

const periodMs = 60_000;
const askedAtOnce = 1000;

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
        const documents = await engine.database.query
          .selectFrom('document')
          .selectAll()
          .where('state', 'in', activeStates)
          .execute();
        for (const document of documents) {
          if (signal.aborted) break;
          await endLost(engine, document);
        }
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

async function endLost(engine: Engine, document: DocumentRow): Promise<void> {
  const { clock, database, events } = engine;
  let lost = 0;
  for (const table of ['page', 'source'] as const) {
    const released = await releasedRequests(database.query, table, document.id);
    for (let start = 0; start < released.length; start += askedAtOnce) {
      const some = released.slice(start, start + askedAtOnce);
      const existing = new Set(await engine.broker.whichExist?.(some.map(({ request }) => request)));
      for (const { id, request } of some.filter(({ request }) => !existing.has(request))) {
        const now = clock.now();
        const isEnded = await database.transaction(async (transaction) => {
          const changed = await transaction
            .updateTable(table)
            .set({ state: 'failed', error: reason, ...(table === 'page' && { endedAt: now }) })
            .where('id', '=', id)
            .where('request', '=', request)
            .where('state', '=', 'waiting')
            .executeTakeFirst();
          if (Number(changed.numUpdatedRows) === 0) return false;
          await giveUp(transaction, requestOwner({ uuid: request, owner: document.owner }), now);
          return true;
        });
        if (!isEnded) continue;
        lost++;
        const dimensions = { document: document.id };
        if (table === 'page')
          events.emit({ kind: 'page.failed', entity: id, user: document.owner, at: now, dimensions });
      }
    }
  }
  // Also when nothing was lost now: whoever ended the last one may not have got this far.
  if (!(await finishIfComplete(engine, document.id)) && lost > 0)
    tellChange(engine, document, document.state);
}

const reason =
  'it is in no queue any more: it was purged, or discarded with the dead letters; `pismak document retry` sends it again';
