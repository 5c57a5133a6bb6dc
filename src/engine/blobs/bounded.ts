import type { PismakError } from '../errors.ts';

/** How much may come, and what to say to more. */
export interface Room {
  bytes: number;
  exceeded(): PismakError;
}

/** The content, until it is too large. */
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
