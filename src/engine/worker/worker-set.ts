import { hostname } from 'node:os';
import { PismakError } from '../errors.ts';
import { createCommonProcesses } from './common-processes.ts';
import { confineProcesses } from './confine-processes.ts';
import { Worker } from './worker.ts';
import type { WorkerParts } from './worker-parts.ts';

/** The workers that run inside this process. */
export interface WorkerSet {
  /** Starts one more and resolves to its id once it has registered. `already-exists` when that id is alive. */
  start(options?: { id?: string; labels?: readonly string[] }): Promise<string>;
  /** Stops a worker after it has finished its messages. `not-found` if this process runs no such worker. */
  stop(id: string): Promise<void>;
  list(): string[];
  /** Stops all of them. */
  close(): Promise<void>;
}

export function createWorkerSet(parts: WorkerParts): WorkerSet {
  const workers = new Map<string, Worker>();
  const commonProcesses = createCommonProcesses(parts);
  let confined: Promise<void> | undefined;

  /** The first free of HOST-1, HOST-2, ...: the same after a restart, so that records are found again. */
  function freeId(): string {
    for (let number = 1; ; number++) {
      const id = `${hostname()}-${number}`;
      if (!workers.has(id)) return id;
    }
  }

  return {
    async start({ id = freeId(), labels = parts.settings.worker.labels } = {}) {
      if (workers.has(id))
        throw new PismakError('already-exists', `worker ${id} is already running; choose another name`);
      confined ??= confineProcesses(commonProcesses, parts);
      await confined;
      commonProcesses.source.keepSpare();
      const worker = new Worker({ ...parts, commonProcesses }, { id, labels });
      workers.set(id, worker);
      try {
        await worker.start();
      } catch (error) {
        workers.delete(id);
        throw error;
      }
      return id;
    },
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
      await commonProcesses.close();
    },
  };

  function list(): string[] {
    return [...workers.keys()];
  }
}
