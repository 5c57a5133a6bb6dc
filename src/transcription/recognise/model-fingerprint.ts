import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Models have no version of their own that one could ask for: these letters tell two of them apart. */
export async function modelFingerprint(path: string): Promise<string> {
  const content = await readFile(path);
  return createHash('sha256').update(content).digest('hex').slice(0, 8);
}
