import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../engine/scratch.ts';
import { cpuSeconds } from './cpu-seconds.ts';
import type { RealPage } from './real-pages.ts';

const work = scratchDirectory();

/** The text of `tesseract IMAGE out -l LANGUAGE`, and what it cost. */
export function realByHand({ name, path, language }: RealPage): { text: string; cpu: number } {
  const before = cpuSeconds();
  const out = join(work, name);
  const parameters = [path, out, '-l', language];
  const { status, stderr, error } = spawnSync('tesseract', parameters, {
    env: { ...process.env, OMP_THREAD_LIMIT: '1' },
    encoding: 'utf8',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`tesseract ${parameters.join(' ')}: ${stderr}`);
  return { text: readFileSync(`${out}.txt`, 'utf8'), cpu: cpuSeconds() - before };
}
