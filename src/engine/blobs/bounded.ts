import type { PismakError } from '../ground/errors.ts';

/** The maximum number of bytes, and the error for more. */
export interface SizeLimit {
  bytes: number;
  exceeded(): PismakError;
}

/** Passes the content on, and fails once it is too large. */
export async function* bounded(
  content: AsyncIterable<Uint8Array>,
  limit: number,
  tooLarge: () => PismakError,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > limit) throw tooLarge();
    yield chunk;
  }
}
