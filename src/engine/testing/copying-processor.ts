import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withWorkDirectory } from '../files/work-directory.ts';
import { defineProcessor } from '../processor/processor.ts';

/** Copies the file `page` in each way that there is, and tells the hash of the stage's file. Dies on the file `die`. */
export default defineProcessor(async (setup) => {
  const model = setup.files[0] === undefined ? undefined : await readFile(await setup.file(setup.files[0]));
  return async (job) => {
    const content = await job.files.read('page');
    await job.files.write('read', content);
    if (job.files.names().includes('die')) process.kill(process.pid, 'SIGKILL');
    await withWorkDirectory(async (directory) => {
      const path = join(directory, 'page');
      await job.files.save('page', path);
      await job.files.writeFrom('saved', path);
    });
    job.log(`the second time: ${Buffer.compare(await job.files.read('saved'), content) === 0}`);
    if (model) await job.files.write('model', Buffer.from(createHash('sha256').update(model).digest('hex')));
  };
});
