import { createBackup } from '../../backup/backup.ts';
import { openEmbedded } from '../embedded.ts';

/** Makes a backup of an empty installation whose one blob never ends, and prints a line once some of it is written. */
const [directory = '', file = ''] = process.argv.slice(2);
const engine = await openEmbedded({ after() {} }, { directory });
const size = Number.MAX_SAFE_INTEGER;
const blobs = { ...engine.blobs, list: one, get: endless };
await createBackup({ ...engine, blobs }, file);

async function* one() {
  yield { hash: '0'.repeat(64), size, storedAt: 0 };
}

async function* endless() {
  for (let sent = 0; ; sent++) {
    if (sent === 100) process.stdout.write('writing\n');
    yield Buffer.alloc(1024, 'w');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
