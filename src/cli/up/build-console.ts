import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';

const program = join(import.meta.dirname, '../../../web/build.ts');

/**
 * Builds the console beside a running Pismak, if its sources changed: `npm start` must not get ready later because of it. It gets little
 * processor time. A package has no sources, and its console is built. Resolves when it is done; `print` gets what it says.
 */
export async function buildConsole(print: (line: string) => void): Promise<void> {
  if (!existsSync(program)) return;
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] });
  // Null: a signal ended it, because Pismak stops.
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const stop = () => child.kill();
  process.once('exit', stop);
  try {
    if (child.pid !== undefined) setPriority(child.pid, 10);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        for (const line of text.split('\n').filter(Boolean)) print(line);
      });
    if (((await ended) ?? 0) !== 0)
      print('The console could not be built; the reason stands above. Everything else works');
  } catch (error) {
    print(`The console could not be built: ${(error as Error).message}`);
  } finally {
    process.off('exit', stop);
  }
}
