import { setTimeout as wait } from 'node:timers/promises';
import { defineProcessor } from '../../../src/engine/processor/processor.ts';

/** Waits instead of working. Unlike `dummy`, which every worker has, only workers that are told of it can load it. */
export default defineProcessor(async (setup) => async (job) => {
  await wait(50 + setup.random() * 200, undefined, { signal: job.signal });
});
