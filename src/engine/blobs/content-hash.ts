import { createHash } from 'node:crypto';
import { PismakError } from '../ground/errors.ts';

/** Passes the bytes on, and fails at the end if they don't match `hash`. */
export async function* verified(
  content: AsyncIterable<Uint8Array>,
  hash: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const digest = createHash('sha256');
  for await (const chunk of content) {
    digest.update(chunk);
    yield chunk;
  }
  if (digest.digest('hex') !== hash) {
    throw new PismakError(
      'blob-corrupt',
      `The stored content of blob ${hash} has changed. Restore it from a backup.`,
    );
  }
}

export function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Names come from requests, so only a valid hash may become part of a path. */
export function checkHash(hash: string): void {
  if (isHash(hash)) return;
  throw new PismakError('invalid-input', 'The name of a blob must be 64 lower-case hexadecimal digits.');
}
