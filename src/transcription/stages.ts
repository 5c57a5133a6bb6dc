import type { FirstStart } from '../engine/stage/first-start.ts';
import { collectQueue, defaultPipeline, splitStage } from './documents/document.ts';

/**
 * Only recognition takes long enough for the watchdog to plan it. Every worker serves the other, short stages all the time,
 * so a page never waits for a worker to be moved.
 */
const stages: FirstStart['stages'] = [
  { name: splitStage, processor: 'split', mode: 'shared', memoryMb: 2048 },
  { name: 'page', processor: 'page', mode: 'shared', memoryMb: 2048 },
  { name: 'prepare', processor: 'prepare', mode: 'shared', memoryMb: 2048 },
  { name: 'layout', processor: 'layout', mode: 'shared' },
  { name: 'recognise', processor: 'recognise', memoryMb: 2048 },
  { name: 'correct', processor: 'correct', mode: 'shared' },
  { name: 'index', processor: 'index', mode: 'shared' },
  { name: 'export', processor: 'export', mode: 'shared' },
];

/** Documents bring an order, so their pages need neither of the first two. */
const pageStages = stages.map(({ name }) => name).filter((name) => name !== splitStage && name !== 'page');

/** The stages and the pipeline `transcription`. */
export const firstStart: FirstStart = {
  stages,
  pipelines: [{ name: defaultPipeline, stages: [...pageStages, collectQueue] }],
};
