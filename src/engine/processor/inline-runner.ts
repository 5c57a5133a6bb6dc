import type { Blobs } from '../blobs/blobs.ts';
import { messageOf } from '../ground/errors.ts';
import type { Stage } from '../stage/stage.ts';
import type { Clock } from '../time/clock.ts';
import { openJobFiles } from './job-files.ts';
import { isPermanent, isWrongWorker, type LoadProcessor, type Process, type Setup } from './processor.ts';
import { type Runner, type RunnerJob, type RunnerResult, StageLogText } from './runner.ts';

/** Runs a processor in this thread: for our own code that waits for I/O. It can be abandoned, but not killed. */
export function createInlineRunner(parts: {
  stage: Stage;
  processor: LoadProcessor;
  setup: Setup;
  blobs: Blobs;
  clock: Clock;
}): Runner {
  const { stage, processor, setup, blobs, clock } = parts;
  let loaded: Promise<Process> | undefined;
  let isLoaded = false;
  const load = () => {
    loaded ??= processor(setup);
    loaded.then(
      () => {
        isLoaded = true;
      },
      () => {
        // The next caller tries again.
        loaded = undefined;
      },
    );
    return loaded;
  };

  async function run(job: RunnerJob): Promise<RunnerResult> {
    const log = new StageLogText();
    const files = openJobFiles(blobs, job.files);
    const timeout = new AbortController();
    const cancel = clock.after(stage.timeoutMs, () => timeout.abort());
    const signal = AbortSignal.any([job.signal, timeout.signal]);
    const stopped = Promise.withResolvers<never>();
    const stop = () => stopped.reject(new Error('stopped'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      const work = load().then((process) =>
        process({
          uuid: job.uuid,
          stage: stage.name,
          attempt: job.attempt,
          ...(job.owner !== undefined && { owner: job.owner }),
          files,
          signal,
          log: (line) => log.add(line),
        }),
      );
      await Promise.race([work, stopped.promise]);
      return { ok: true, files: await files.result(), log: log.toString() };
    } catch (error) {
      const aborted = job.signal.aborted;
      const reason = timeout.signal.aborted ? `took longer than ${stage.timeoutMs} ms` : messageOf(error);
      log.add(reason);
      const ended = timeout.signal.aborted ? ({ ended: 'timeout' } as const) : {};
      const judged = { permanent: isPermanent(error), wrongWorker: isWrongWorker(error), aborted };
      return { ok: false, reason, ...judged, ...ended, log: log.toString() };
    } finally {
      cancel();
      // A leftover listener would keep the signal, and everything it holds, for ever.
      signal.removeEventListener('abort', stop);
    }
  }

  return {
    async load() {
      await load();
    },
    isLoaded: () => isLoaded,
    run,
    async close() {
      const process = await loaded?.catch(() => undefined);
      await process?.close?.();
    },
  };
}
