import { hostname } from 'node:os';
import { hasCode, messageOf, PismakError } from '../ground/errors.ts';
import { CancelledWork } from './cancelled-work.ts';
import { createCommonProcesses } from './common-processes.ts';
import { confineProcesses } from './confine-processes.ts';
import { type Trial, type TrialResult, tryStages } from './try-stages.ts';
import { Worker } from './worker.ts';
import type { WorkerParts } from './worker-parts.ts';

/** The workers that run inside this process. */
export interface WorkerSet {
  /** Starts one more and resolves to its id once it has registered. Throws `already-exists` when that id is alive. */
  start(options?: { id?: string; labels?: readonly string[] }): Promise<string>;
  list(): string[];
  /** Runs stages on files in processes like those of workers, without queues; leaves nothing behind. */
  try(trial: Trial): Promise<TrialResult>;
  /** Stops all of them. */
  close(): Promise<void>;
}

export function createWorkerSet(parts: WorkerParts): WorkerSet {
  const workers = new Map<string, Worker>();
  const commonProcesses = createCommonProcesses(parts);
  let cancelledWork: CancelledWork | undefined;
  let confined: Promise<void> | undefined;

  function confine(): Promise<void> {
    confined ??= confineProcesses(commonProcesses, parts);
    return confined;
  }

  async function startAs(id: string, labels: readonly string[]): Promise<string> {
    await confine();
    if (workers.has(id))
      throw new PismakError('already-exists', `worker ${id} is already running; choose another name`);
    commonProcesses.source.keepSpare();
    cancelledWork ??= new CancelledWork(parts);
    const worker: Worker = new Worker(
      { ...parts, commonProcesses, cancelledWork },
      {
        id,
        labels,
        // Only this one ends: the others of this process go on.
        onStop: () => void stop(worker),
      },
    );
    workers.set(id, worker);
    try {
      await worker.start();
    } catch (error) {
      workers.delete(id);
      throw error;
    }
    return id;
  }

  async function stop(worker: Worker): Promise<void> {
    try {
      await worker.close();
    } catch (error) {
      parts.log.warn({ worker: worker.id, error: messageOf(error) }, 'the worker could not close everything');
    }
    workers.delete(worker.id);
  }

  /**
   * The first free name of HOST-1, HOST-2, ...: the same after a restart, so that records are found again. Another process of
   * this machine may have taken the first ones.
   */
  async function startAsFirstFree(labels: readonly string[]): Promise<string> {
    for (let number = 1; ; number++) {
      try {
        return await startAs(`${hostname()}-${number}`, labels);
      } catch (error) {
        if (!hasCode(error, 'already-exists')) throw error;
      }
    }
  }

  return {
    start: ({ id, labels = parts.settings.worker.labels } = {}) =>
      id === undefined ? startAsFirstFree(labels) : startAs(id, labels),
    list: () => [...workers.keys()],
    async try(trial) {
      await confine();
      return tryStages({ ...parts, commonProcesses }, trial);
    },
    async close() {
      await Promise.all([...workers.values()].map((worker) => worker.close()));
      workers.clear();
      cancelledWork?.close();
      cancelledWork = undefined;
      await commonProcesses.close();
    },
  };
}
