import { defineProcessor } from '../../src/engine/processor/processor.ts';

/** Reports when it started, so that the time since the submission can be measured. */
export default defineProcessor(async () => async (job) => {
  await job.files.write('began', Buffer.from(String(Date.now())));
});
