import type { Worker } from 'node:worker_threads';
import { startThread } from './start-thread.ts';
import type { FromThread, ThreadLoad, ThreadReport, ToThread } from './thread-messages.ts';

/** A thread that fetches and reads strangers' pages, with its own memory limit. It says `died` once, unless it was closed. */
export class HarvestThread {
  readonly #worker: Worker;
  #closed = false;
  load: ThreadLoad = { kind: 'load', utilization: 0, inFlight: 0, problems: [] };

  constructor(report: (message: ThreadReport) => void, died: (error: unknown) => void) {
    this.#worker = startThread(new URL('./thread.ts', import.meta.url));
    this.#worker.on('message', (message: FromThread) => {
      if (message.kind === 'load') this.load = message;
      else report(message);
    });
    this.#worker.on('error', (error) => {
      if (!this.#closed) died(error);
      this.#closed = true;
    });
    this.#worker.on('exit', () => {
      if (!this.#closed) died(new Error('the thread ended'));
      this.#closed = true;
    });
  }

  tell(message: ToThread): void {
    if (!this.#closed) this.#worker.postMessage(message);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker.terminate();
  }
}
