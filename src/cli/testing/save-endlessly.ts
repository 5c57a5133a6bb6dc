import { saveFile } from '../../terminal/files/save-file.ts';

/** Saves a file that never ends, and says so once some of it is written. */
const [path = ''] = process.argv.slice(2);
await saveFile(path, endless());

async function* endless() {
  for (let sent = 0; ; sent++) {
    if (sent === 10) process.stdout.write('writing\n');
    yield Buffer.alloc(1024, 'w');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
