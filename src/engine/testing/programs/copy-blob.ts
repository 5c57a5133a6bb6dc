import { localCopy } from '../../blobs/cache.ts';
import { openDirectoryBlobs } from '../../blobs/directory.ts';

/** Asks for a local copy as soon as a line comes in, and prints where it is. */
const [blobs = '', hash = '', cache = ''] = process.argv.slice(2);
const store = await openDirectoryBlobs(blobs);
process.stdout.write('ready\n');
process.stdin.once('data', async () => {
  process.stdout.write(`${await localCopy(store, hash, cache)}\n`);
  process.stdin.destroy();
});
