import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { defineProcessor } from '../../src/engine/processor/processor.ts';

/** Reads the files of its stage when it is loaded, and answers each request with their SHA-256. */
export default defineProcessor(async (setup) => {
  const hashes: Record<string, string> = {};
  for (const name of setup.files) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(await setup.file(name))) hash.update(chunk);
    hashes[name] = hash.digest('hex');
  }
  return async (job) => job.files.write('hashes.json', Buffer.from(JSON.stringify(hashes)));
});
