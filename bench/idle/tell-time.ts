import { defineProcessor } from '../../src/engine/processor/processor.ts';

/** Says when it began, so that the time from the submission until then can be measured. */
export default defineProcessor(async () => async (job) => {
  await job.files.write('began', Buffer.from(String(Date.now())));
});
