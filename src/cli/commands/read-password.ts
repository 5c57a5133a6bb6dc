import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Sink } from '../../terminal/output/output.ts';

/** On a terminal, asks without echo; otherwise reads the first line of standard input. */
export async function readPassword(question: string, stderr: Sink): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({
    input: process.stdin,
    output: silent,
    terminal: process.stdin.isTTY ?? false,
  });
  if (process.stdin.isTTY) stderr.write(question);
  try {
    for await (const line of lines) return line;
  } finally {
    lines.close();
    if (process.stdin.isTTY) stderr.write('\n');
  }
  throw new PismakError('invalid-input', 'no password was given');
}
