import type { Engine } from '../engine/engine.ts';
import type { Running } from '../engine/service/service.ts';
import {
  createTranscriptionStages,
  runTranscription,
  transcriptionProcessors,
} from '../transcription/index.ts';

/** What the houses bring along: processors for whoever runs workers, and what must run beside the engine's services. */
export const houseProcessors = [...transcriptionProcessors];

/** On the first start: stages and pipelines that are there from the beginning. */
export async function createHouseStages(engine: Engine): Promise<void> {
  await createTranscriptionStages(engine);
}

export async function runHouses(engine: Engine): Promise<Running> {
  return runTranscription(engine);
}
