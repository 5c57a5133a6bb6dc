import type { Engine } from '../engine/engine.ts';
import type { Running } from '../engine/service/service.ts';
import { runCollector } from './collect/collector.ts';
import { runLostRequests } from './collect/lost-requests.ts';
import { collectQueue } from './documents/document.ts';

/** What must run for documents to be finished. */
export async function runTranscription(engine: Engine): Promise<Running> {
  // Whatever the pipelines are: results for us must never have nowhere to go.
  await engine.pipelines.claimOutput(collectQueue);
  const collector = await runCollector(engine);
  const lost = runLostRequests(engine);
  return {
    async close() {
      await Promise.all([collector.close(), lost.close()]);
    },
  };
}
