import { localCopy } from '../blobs/cache.ts';
import { PismakError } from '../errors.ts';
import { createInlineRunner } from '../processor/inline-runner.ts';
import { createIsolatedRunner } from '../processor/isolated-runner.ts';
import type { Setup } from '../processor/processor.ts';
import type { Runner } from '../processor/runner.ts';
import type { Stage } from '../stage/stage.ts';
import type { WorkerParts } from './worker-parts.ts';

/** The runner that the stage's processor asks for: in a process of its own, or in this thread. */
export function createRunner(parts: WorkerParts, stage: Stage): Runner {
  const { blobs, clock, random, cacheDirectory, blobsUrl } = parts;
  const registration = parts.processors.get(stage.processor);
  if ('module' in registration) {
    return createIsolatedRunner({
      stage,
      module: registration.module.href,
      blobs: blobsUrl,
      cache: cacheDirectory,
      clock,
    });
  }
  const setup: Setup = {
    stage: stage.name,
    version: stage.version,
    config: stage.config,
    random,
    async file(name) {
      const file = stage.files.find((candidate) => candidate.name === name);
      if (!file) throw new PismakError('not-found', `stage ${stage.name} has no file ${name}`);
      return localCopy(blobs, file.hash, cacheDirectory);
    },
  };
  return createInlineRunner({ stage, processor: registration.inline, setup, blobs, clock });
}
