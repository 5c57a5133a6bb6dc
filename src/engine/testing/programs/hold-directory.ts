import { spawn } from 'node:child_process';
import { openDataDirectory } from '../../data-directory/data-directory.ts';
import { messageOf } from '../../ground/errors.ts';

/** Takes the data directory, prints that (or why not), and keeps it until a line comes in. `with-child` starts a child. */
const [path = '', child] = process.argv.slice(2);
try {
  const data = await openDataDirectory(path, { purpose: 'a test' });
  await data.publishHolder({ url: 'http://127.0.0.1:7475', token: 'local-secret' });
  if (child) process.stdout.write(`${spawn('sleep', ['60'], { stdio: 'ignore' }).pid}\n`);
  process.stdout.write('held\n');
  process.stdin.once('data', async () => {
    await data.close();
    process.stdin.destroy();
  });
} catch (error) {
  process.stdout.write(`${messageOf(error)}\n`);
  process.exit(1);
}
