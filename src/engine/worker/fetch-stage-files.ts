import { dropUnused, fetchCopy } from '../blobs/cache.ts';
import { messageOf, PismakError } from '../ground/errors.ts';
import type { Stage } from '../stage/stage.ts';
import type { WorkerParts } from './worker-parts.ts';

type FetchingFiles = Pick<WorkerParts, 'blobs' | 'cacheDirectory' | 'clock' | 'log' | 'stages'>;

/**
 * Copies the stage's files into this machine's cache, before a process loads the stage: then all processes and workers share one
 * copy, and the time limit of the stage can't end a long download, which would begin again at the next try. Processes check
 * the content of their files themselves.
 */
export async function fetchStageFiles(parts: FetchingFiles, { name, files }: Stage): Promise<void> {
  const { blobs, cacheDirectory, log } = parts;
  let fetched = false;
  for (const file of files) {
    const copying = fetchCopy(blobs, file, cacheDirectory).catch((cause: unknown) => {
      const message = `file ${file.name} of stage ${name} could not be copied to this machine: ${messageOf(cause)}`;
      throw new PismakError('processor-failed', message, { cause });
    });
    fetched = (await copying) || fetched;
  }
  if (!fetched) return;
  await dropOld(parts).catch((error: unknown) =>
    log.warn({ reason: messageOf(error) }, 'old files of stages stay in the cache'),
  );
}

/** Old models must not fill the disk: deletes copies that no stage names any more. */
async function dropOld({ cacheDirectory, clock, stages }: FetchingFiles): Promise<void> {
  const named = (await stages.list()).flatMap((stage) => stage.files.map((file) => file.hash));
  await dropUnused(cacheDirectory, new Set(named), clock.now());
}
