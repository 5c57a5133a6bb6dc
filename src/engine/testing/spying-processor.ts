import { defineProcessor } from '../processor/processor.ts';
import { spy } from './spy.ts';

/** Tries what its configuration lists, and tells in `seen.json` what came of it. */
export default defineProcessor(async ({ config }) => async (job) => {
  await job.files.write('seen.json', Buffer.from(JSON.stringify(await spy(config.trim().split('\n')))));
});
