import type sharp from 'sharp';
import { PismakError } from '../../engine/ground/errors.ts';

let loaded: Promise<typeof sharp> | undefined;

/** The image library, an optional package. It uses one thread, because a worker runs a process per core. */
export function loadSharp(): Promise<typeof sharp> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<typeof sharp> {
  const module = await import('sharp').catch((cause) => {
    const advice = 'images need the package sharp, which is not installed: npm install --include=optional';
    throw new PismakError('unavailable', advice, { cause });
  });
  module.default.concurrency(1);
  // Each page comes once, so a cache would only waste memory.
  module.default.cache(false);
  return module.default;
}
