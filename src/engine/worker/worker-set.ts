import { hostname } from 'node:os';
import { hasCode, PismakError } from '../errors.ts';
import { CancelledWork } from './cancelled-work.ts';
import { createCommonProcesses } from './common-processes.ts';
import { confineProcesses } from './confine-processes.ts';
import { Worker } from './worker.ts';
import type { WorkerParts } from './worker-parts.ts';

/** The workers that run inside this process. */
export interface WorkerSet {
  /** Starts one more and resolves to its id once it has registered. Throws `already-exists` when that id is alive. */
  start(options?: { id?: string; labels?: readonly string[] }): Promise<string>;
  /** Stops a worker after it has finished its messages. Throws `not-found` if this process runs no such worker. */
  stop(id: string): Promise<void>;
  list(): string[];
  /** Stops all of them. */
  close(): Promise<void>;
}

export function createWorkerSet(parts: WorkerParts): WorkerSet {
  const workers = new Map<string, Worker>();
  const commonProcesses = createCommonProcesses(parts);
  let cancelledWork: CancelledWork | undefined;
  let confined: Promise<void> | undefined;

  async function startAs(id: string, labels: readonly string[]): Promise<string> {
    confined ??= confineProcesses(commonProcesses, parts);
    await confined;
    if (workers.has(id))
      throw new PismakError('already-exists', `worker ${id} is already running; choose another name`);
    commonProcesses.source.keepSpare();
    cancelledWork ??= new CancelledWork(parts);
    const worker = new Worker({ ...parts, commonProcesses, cancelledWork }, { id, labels });
    workers.set(id, worker);
    try {
      await worker.start();
    } catch (error) {
      workers.delete(id);
      throw error;
    }
    return id;
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
    async stop(id) {
      const worker = workers.get(id);
      if (!worker)
        throw new PismakError(
          'not-found',
          `this process has no worker ${id}; its workers are: ${list().join(', ')}`,
        );
      await worker.close();
      workers.delete(id);
    },
    list,
    async close() {
      await Promise.all([...workers.values()].map((worker) => worker.close()));
      workers.clear();
      cancelledWork?.close();
      cancelledWork = undefined;
      await commonProcesses.close();
    },
  };

  function list(): string[] {
    return [...workers.keys()];
  }
}
