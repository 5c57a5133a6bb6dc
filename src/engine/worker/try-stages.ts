import { join } from 'node:path';
import { readBlob } from '../blobs/blobs.ts';
import { openOverlay } from '../blobs/overlay.ts';
import { messageOf } from '../ground/errors.ts';
import { newId } from '../ground/identity.ts';
import { WorkerProcesses } from '../processor/worker-processes.ts';
import type { ResultFile } from '../request/request.ts';
import type { Stage } from '../stage/stage.ts';
import type { CommonProcesses } from './common-processes.ts';
import { createRunner } from './create-runner.ts';
import type { WorkerParts } from './worker-parts.ts';

export interface Trial {
  /** One after another; a stage may be one that is not stored. */
  stages: readonly Stage[];
  files: readonly ResultFile[];
  owner: string;
  signal: AbortSignal;
}

/** What a stage made of the files of the one before. */
export interface TrialStep {
  stage: string;
  ok: boolean;
  /** Why it failed; null if it did not. */
  reason: string | null;
  ms: number;
  log: string;
}

export interface TrialResult {
  steps: TrialStep[];
  /** The files after the last stage that succeeded. */
  files: { name: string; size: number; content: Uint8Array | undefined }[];
}

/** The directory of trials in a machine's cache; a starting process removes what a killed one has left. */
export const trialsDirectory = (cacheDirectory: string) => join(cacheDirectory, 'trials');

/** A stage that is tried is none of the stored versions. */
export const trialVersion = 0;

const mostBytes = 512 * 2 ** 20;
/** Contents that are shown; of larger files only the size. */
const shown = { file: 2 * 2 ** 20, all: 8 * 2 ** 20 };

/**
 * Runs stages on files as a worker would: the same processes, sandbox, time and memory limits. Nothing is queued, and all that is
 * stored is removed at the end.
 */
export async function tryStages(
  parts: WorkerParts & { commonProcesses: CommonProcesses },
  { stages, files, owner, signal }: Trial,
): Promise<TrialResult> {
  const { clock, commonProcesses } = parts;
  const uuid = newId(clock);
  const blobs = await openOverlay(parts.blobs, join(trialsDirectory(parts.cacheDirectory), uuid), mostBytes);
  const { source, loadCheck } = commonProcesses;
  const processes = new WorkerProcesses({ source, clock, keepLoaded: 1, idleMs: 0, most: 1 });
  try {
    const steps: TrialStep[] = [];
    let now = files;
    for (const stage of stages) {
      signal.throwIfAborted();
      const startedAt = clock.now();
      source.expect(stage);
      const runner = createRunner({ ...parts, blobs }, stage, { processes, loadCheck });
      try {
        const result = await runner.run({ uuid, owner, attempt: 1, files: now, signal });
        const ms = clock.now() - startedAt;
        const reason = result.ok ? null : result.reason;
        steps.push({ stage: stage.name, ok: result.ok, reason, ms, log: result.log });
        if (!result.ok) break;
        now = result.files;
      } finally {
        await runner.close();
      }
    }
    signal.throwIfAborted();
    return { steps, files: await contents(blobs, now) };
  } finally {
    await processes.close();
    await blobs
      .close()
      .catch((error: unknown) => parts.log.warn({ error: messageOf(error) }, 'a trial left files behind'));
  }
}

async function contents(
  blobs: Parameters<typeof readBlob>[0],
  files: readonly ResultFile[],
): Promise<TrialResult['files']> {
  const read: TrialResult['files'] = [];
  let left = shown.all;
  for (const { name, blob, size: announced, content } of files) {
    const size = blob === '' ? content.length : Number(announced);
    const fits = size <= Math.min(left, shown.file);
    if (fits) left -= size;
    read.push({
      name,
      size,
      content: fits ? (blob === '' ? content : await readBlob(blobs, blob)) : undefined,
    });
  }
  return read;
}
