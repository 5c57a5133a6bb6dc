import type { Engine } from '../engine/engine.ts';
import type { Running } from '../engine/service/service.ts';
import { runCollector } from './collect/collector.ts';
import { runLostRequests } from './collect/lost-requests.ts';
import { collectQueue } from './documents/document.ts';
import { closeImageCutters } from './iiif/open-image-cutters.ts';

/** Runs the services that finish documents. */
export async function runTranscription(engine: Engine): Promise<Running> {
  // Results of any pipeline need this queue, so it must always exist.
  await engine.pipelines.claimOutput(collectQueue);
  const collector = await runCollector(engine);
  const lost = runLostRequests(engine);
  return {
    async close() {
      await closeImageCutters(engine);
      await Promise.all([collector.close(), lost.close()]);
    },
  };
}
