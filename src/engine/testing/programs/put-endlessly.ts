import { openDirectoryBlobs } from '../../blobs/directory.ts';

/** Puts a few small blobs and prints the hash of each when it is stored; then, without `only-small`, puts one that never ends. */
const [directory = '', extent] = process.argv.slice(2);
const blobs = await openDirectoryBlobs(directory);
for (let number = 0; number < 5; number++) {
  const { hash } = await blobs.put(Buffer.from(`small ${process.pid} ${number}`));
  process.stdout.write(`${hash}\n`);
}
if (extent !== 'only-small') await blobs.put(endless());

async function* endless() {
  for (let sent = 0; ; sent++) {
    if (sent === 10) process.stdout.write('writing\n');
    yield Buffer.alloc(65_536, 'w');
  }
}
