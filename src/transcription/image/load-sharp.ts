import type sharp from 'sharp';
import { PismakError } from '../../engine/errors.ts';

let loaded: Promise<typeof sharp> | undefined;

/** The image library, an optional package. One thread in it, because a worker runs a process per core. */
export function loadSharp(): Promise<typeof sharp> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<typeof sharp> {
  const module = await import('sharp').catch((cause) => {
    const advice =
      'images need the package sharp, which is not installed here: npm install --include=optional';
    throw new PismakError('unavailable', advice, { cause });
  });
  module.default.concurrency(1);
  // Each page comes once: a cache would only hold memory.
  module.default.cache(false);
  return module.default;
}
