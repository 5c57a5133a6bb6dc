import type { z } from 'zod';
import type { Engine } from '../engine/engine.ts';
import { hasCode } from '../engine/errors.ts';
import type { stageDefinition } from '../engine/stage/stage.ts';
import { collectQueue, defaultPipeline, splitStage } from './documents/document.ts';

const marker = '/installation/transcription';

/**
 * Only recognising takes long enough for the watchdog to plan it; the others are over in a moment and are served by every
 * worker all the time, so that a page doesn't wait for a worker to be moved.
 */
const stages: readonly z.input<typeof stageDefinition>[] = [
  { name: splitStage, processor: 'split', mode: 'shared', memoryMb: 2048 },
  { name: 'prepare', processor: 'prepare', mode: 'shared', memoryMb: 2048 },
  { name: 'layout', processor: 'layout', mode: 'shared' },
  { name: 'recognise', processor: 'recognise', memoryMb: 2048 },
  { name: 'correct', processor: 'correct', mode: 'shared' },
  { name: 'index', processor: 'index', mode: 'shared' },
  { name: 'export', processor: 'export', mode: 'shared' },
];

/** On the first start: the stages and the pipeline `transcription`. What an administrator deletes doesn't come back. */
export async function createTranscriptionStages(engine: Engine): Promise<void> {
  if (await engine.coordination.get(marker)) return;
  for (const stage of stages) await unlessThere(engine.stages.create(stage, 'local'));
  const names = stages.map(({ name }) => name).filter((name) => name !== splitStage);
  const pipeline = { name: defaultPipeline, stages: [...names, collectQueue], owner: 'local' };
  await unlessThere(engine.pipelines.create(pipeline));
  // Last, so that a crash half-way only means that it is done again.
  await engine.coordination.set(marker, String(engine.clock.now()));
}

async function unlessThere(creating: Promise<unknown>): Promise<void> {
  await creating.catch((error: unknown) => {
    if (!hasCode(error, 'already-exists')) throw error;
  });
}
