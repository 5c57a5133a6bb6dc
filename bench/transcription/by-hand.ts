import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '../../src/transcription/page.ts';
import { readHocr } from '../../src/transcription/recognise/hocr.ts';
import { scratchDirectory } from '../engine/scratch.ts';
import { secondsSince } from '../engine/work.ts';
import type { SamplePage } from './sample-pages.ts';

/** As whoever knows the machine would do it: one process per core, one thread each, hOCR as our stage asks for it. */
export async function readByHand(
  pages: readonly SamplePage[],
  processes: number,
): Promise<{ seconds: number; read: Page[] }> {
  const directory = scratchDirectory();
  const started = performance.now();
  const script = 'tesseract "$1" "$(basename "$1")" -l ces hocr 2>/dev/null';
  const parameters = ['-d', '\\n', '-n', '1', '-P', String(processes), 'sh', '-c', script, 'sh'];
  const child = spawn('xargs', parameters, {
    cwd: directory,
    env: { ...process.env, OMP_THREAD_LIMIT: '1' },
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  child.stdin?.end(pages.map((page) => page.path).join('\n'));
  const [code] = await once(child, 'close');
  const seconds = secondsSince(started);
  if (code !== 0) throw new Error(`tesseract by hand failed: ${code}`);
  const read = pages.map(async ({ path }) => {
    const file = join(directory, `${path.slice(path.lastIndexOf('/') + 1)}.hocr`);
    return readHocr(await readFile(file, 'utf8'));
  });
  return { seconds, read: await Promise.all(read) };
}
