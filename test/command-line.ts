import { spawn } from 'node:child_process';
import { join } from 'node:path';

const program = join(import.meta.dirname, '..', 'bin', 'pismak');

/** Runs `bin/pismak` as a user does, and gives back what it printed and its exit code. */
export function pismak(
  data: string,
  parameters: readonly string[],
  options: { cwd?: string } = {},
): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PISMAK_DATA: data };
    const child = spawn(program, parameters, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}
