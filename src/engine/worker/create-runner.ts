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
    const isolated = createIsolatedRunner({
      stage,
      module: registration.module.href,
      blobs: blobsUrl,
      cache: cacheDirectory,
      clock,
      proven: isProven(parts, stage),
    });
    return { ...isolated, load: () => isolated.load().then(() => prove(parts, stage)) };
  }
  const setup: Setup = {
    stage: stage.name,
    version: stage.version,
    config: stage.config,
    files: stage.files.map((file) => file.name),
    random,
    async file(name) {
      const file = stage.files.find((candidate) => candidate.name === name);
      if (!file) throw new PismakError('not-found', `stage ${stage.name} has no file ${name}`);
      return localCopy(blobs, file.hash, cacheDirectory);
    },
  };
  return createInlineRunner({ stage, processor: registration.inline, setup, blobs, clock });
}

/**
 * Shared stages that a worker of this process was able to load: the other workers need not all start a process at once
 * to find that out too.
 */
const proven = new WeakMap<WorkerParts['processors'], Set<string>>();

function isProven({ processors }: WorkerParts, stage: Stage): boolean {
  return stage.mode === 'shared' && (proven.get(processors)?.has(`${stage.name} ${stage.version}`) ?? false);
}

function prove({ processors }: WorkerParts, stage: Stage): void {
  const known = proven.get(processors) ?? new Set();
  proven.set(processors, known.add(`${stage.name} ${stage.version}`));
}
