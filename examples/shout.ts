/**
 * A stage of your own: a function from the files of a request to other files.
 *
 *   bin/pismak up --set processors=shout=./examples/shout.ts      # or in pismak.toml: [processors] shout = "./examples/shout.ts"
 *   bin/pismak stage create shout --processor shout --stage-config '?!'
 *   bin/pismak publish letter.txt --stages shout,shouted --wait -o results
 */
import { defineProcessor, PermanentFailure } from 'pismak';

export default defineProcessor(async (setup) => {
  // Once per version of the stage: read the configuration, load models.
  const suffix = setup.config.trim() || '!';
  return async (job) => {
    // Once per request: read its files, write, replace or remove any number of them.
    for (const name of job.files.names()) {
      const text = Buffer.from(await job.files.read(name)).toString();
      if (text.includes('\0')) throw new PermanentFailure(`${name} is not text`);
      await job.files.write(name, Buffer.from(text.toUpperCase() + suffix));
    }
    job.log(`shouted ${job.files.names().length} files`);
  };
});
