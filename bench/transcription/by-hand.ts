import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Page } from '../../src/transcription/page/page.ts';
import { readHocr } from '../../src/transcription/recognise/read-hocr.ts';
import { secondsSince } from '../engine/work.ts';
import type { SamplePage } from './sample-pages.ts';

/** As an expert would do it: one process per core, one thread each, and hOCR output as in our stage. */
export async function readByHand(
  pages: readonly SamplePage[],
  processes: number,
): Promise<{ seconds: number; read: Page[] }> {
  const started = performance.now();
  const tesseract = ['tesseract', '{}', '{}', '-l', 'ces', 'hocr'];
  const child = spawn('xargs', ['-d', '\\n', '-P', String(processes), '-I', '{}', ...tesseract], {
    env: { ...process.env, OMP_THREAD_LIMIT: '1' },
    stdio: ['pipe', 'inherit', 'ignore'],
  });
  child.stdin?.end(pages.map((page) => page.path).join('\n'));
  const [code] = await once(child, 'close');
  const seconds = secondsSince(started);
  if (code !== 0) throw new Error(`tesseract by hand failed: ${code}`);
  const read = pages.map(async ({ path }) => readHocr(await readFile(`${path}.hocr`, 'utf8')));
  return { seconds, read: await Promise.all(read) };
}
