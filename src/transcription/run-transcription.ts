import type { Engine } from '../engine/engine.ts';
import type { Running } from '../engine/service/service.ts';
import { runCollector } from './collect/collector.ts';
import { runLostRequests } from './collect/lost-requests.ts';
import { collectQueue } from './documents/document.ts';

/** What must run for documents to be finished. */
export async function runTranscription(engine: Engine): Promise<Running> {
  const { broker, clock, database } = engine;
  // The queue is ours whatever the pipelines are; results for us must never have nowhere to go.
  await broker.declare(collectQueue);
  await database.query
    .insertInto('outputQueue')
    .values({ name: collectQueue, owner: 'local', createdAt: clock.now() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const collector = await runCollector(engine);
  const lost = runLostRequests(engine);
  return {
    async close() {
      await Promise.all([collector.close(), lost.close()]);
    },
  };
}
