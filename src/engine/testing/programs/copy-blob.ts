import { localCopy } from '../../blobs/cache.ts';
import { openDirectoryBlobs } from '../../blobs/directory.ts';

/** Makes a local copy as soon as a line comes in, and prints its path. */
const [blobs = '', hash = '', cache = ''] = process.argv.slice(2);
const store = await openDirectoryBlobs(blobs);
process.stdout.write('ready\n');
process.stdin.once('data', async () => {
  process.stdout.write(`${await localCopy(store, hash, cache)}\n`);
  process.stdin.destroy();
});
