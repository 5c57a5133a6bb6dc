import type { Engine } from '../engine/composition/engine.ts';
import { type HouseParts, stateOf } from '../engine/house.ts';
import type { Running } from '../engine/service/service.ts';
import { runCollector } from './collect/collector.ts';
import { runLostRequests } from './collect/lost-requests.ts';
import { migrations } from './database/migrations.ts';
import { isInDocument } from './documents/bytes-of-documents.ts';
import { collectQueue, defaultPipeline } from './documents/document.ts';
import { countRequest } from './documents/quota.ts';
import { transcriptionProcessors, transcriptionStages } from './documents/stages.ts';
import { transcriptionOperations } from './operations/index.ts';
import { TranscriptionState } from './state/state.ts';

/** The parts of this house that a running engine needs. */
export const parts: HouseParts = {
  migrations: migrations.migrations,
  processors: transcriptionProcessors,
  firstStart: {
    stages: transcriptionStages.map(({ processor: { name }, definition }) => ({
      ...definition,
      name,
      processor: name,
    })),
    pipelines: [
      {
        name: defaultPipeline,
        stages: [
          ...transcriptionStages
            .filter(({ isForPages }) => isForPages)
            .map(({ processor }) => processor.name),
          collectQueue,
        ],
      },
    ],
  },
  open: (engine) => new TranscriptionState(engine),
  operations: transcriptionOperations,
  mayUseBlob: isInDocument,
  countRequest,
  progress: (engine) => stateOf(engine, TranscriptionState).progress.get(),
  run: runTranscription,
};

/** Runs the services that finish documents. */
export async function runTranscription(engine: Engine): Promise<Running> {
  // Results of any pipeline need this queue, so it must always exist.
  await engine.pipelines.claimOutput(collectQueue);
  const collector = await runCollector(engine);
  const lost = runLostRequests(engine);
  return {
    async close() {
      await Promise.all([collector.close(), lost.close()]);
    },
  };
}
