import { localCopy } from '../blobs/cache.ts';
import { PismakError } from '../ground/errors.ts';
import { createInlineRunner } from '../processor/inline-runner.ts';
import { createIsolatedRunner } from '../processor/isolated-runner.ts';
import type { LoadCheck } from '../processor/load-check.ts';
import type { Setup } from '../processor/processor.ts';
import type { Runner, RunnerJob, RunnerResult } from '../processor/runner.ts';
import type { WorkerProcesses } from '../processor/worker-processes.ts';
import type { Stage } from '../stage/stage.ts';
import { fetchStageFiles } from './fetch-stage-files.ts';
import type { WorkerParts } from './worker-parts.ts';

/** The runner that the stage's processor requires: in processes of the worker, or in this thread. */
export function createRunner(
  parts: WorkerParts,
  stage: Stage,
  { processes, loadCheck }: { processes: WorkerProcesses; loadCheck: LoadCheck },
): Runner {
  const { blobs, clock, random, cacheDirectory } = parts;
  const commands = parts.settings.command.allow;
  const registration = parts.processors.get(stage.processor);
  const isDeterministic = registration.isDeterministic?.(stage.config) ?? false;
  const judge = (result: RunnerResult, job: RunnerJob) => (isDeterministic ? judged(result, job) : result);
  if ('module' in registration) {
    const module = registration.module.href;
    const network = registration.network === true;
    const largestFileBytes = parts.settings.upload.limitMb * 1024 * 1024;
    const code = { stage, module, blobs, cache: cacheDirectory, commands, network, largestFileBytes };
    const fetchFiles = () => fetchStageFiles(parts, stage);
    const isolated = createIsolatedRunner(code, processes, fetchFiles);
    return {
      ...isolated,
      /** While there are no messages, only checks whether the stage can be loaded; a process starts when there is work. */
      async load() {
        if (!(await isAwaited(parts, stage))) {
          await fetchFiles();
          return loadCheck.check(code);
        }
        await isolated.load();
        loadCheck.confirm(stage);
      },
      async run(job) {
        const result = await isolated.run(job);
        if (!result.ok && result.notLoaded) loadCheck.doubt(stage);
        return judge(result, job);
      },
    };
  }
  const setup: Setup = {
    stage: stage.name,
    version: stage.version,
    config: stage.config,
    files: stage.files.map((file) => file.name),
    commands,
    random,
    async file(name) {
      const file = stage.files.find((candidate) => candidate.name === name);
      if (!file) throw new PismakError('not-found', `stage ${stage.name} has no file ${name}`);
      return localCopy(blobs, file.hash, cacheDirectory);
    },
  };
  const inline = createInlineRunner({ stage, processor: registration.inline, setup, blobs, clock });
  return { ...inline, run: async (job) => judge(await inline.run(job), job) };
}

/**
 * For a deterministic processor. Work that timed out would time out again, at full cost. A crash may be the fault of the machine
 * (out of memory, a broken library), so the work gets one more try.
 */
function judged(result: RunnerResult, { attempt }: RunnerJob): RunnerResult {
  if (result.ok || result.aborted || result.ended === undefined) return result;
  if (result.ended === 'crashed' && attempt < 2) return result;
  return { ...result, permanent: true };
}

/** Every worker serves a shared stage; workers that get no message need not load it. */
async function isAwaited({ broker }: WorkerParts, { name, mode }: Stage): Promise<boolean> {
  if (mode === 'shared') return false;
  const { ready } = await broker.status(name);
  return ready.high + ready.normal > 0;
}
