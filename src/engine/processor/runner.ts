import type { ResultFile } from '../request/request.ts';

/** Runs the processor of one version of one stage. */
export interface Runner {
  /** Loads the processor, so that the first request doesn't wait for it. Rejects when the processor can't be loaded. */
  load(): Promise<void>;
  /** Whether a request would find it loaded. */
  isLoaded(): boolean;
  /** Never rejects: whatever the processor does, the outcome is a result. */
  run(job: RunnerJob): Promise<RunnerResult>;
  close(): Promise<void>;
}

export interface RunnerJob {
  uuid: string;
  /** The owner of the request: owners share the processes. */
  owner?: string;
  attempt: number;
  files: readonly ResultFile[];
  signal: AbortSignal;
}

export type RunnerResult =
  | { ok: true; files: ResultFile[]; log: string }
  | {
      ok: false;
      reason: string;
      /** A retry can't help. */
      permanent: boolean;
      /** This worker can't serve it, but another may. */
      wrongWorker?: boolean;
      /** The worker stopped it, so the request is not to blame. */
      aborted: boolean;
      /** The processor could not be loaded (any more): the request was not attempted at all. */
      notLoaded?: boolean;
      /** It timed out or its process ended, rather than failing by itself (`crashed twice`: a second process ended right after). */
      ended?: 'timeout' | 'crashed' | 'crashed twice';
      log: string;
    };

/* The stage's log, bounded: a processor that logs endlessly must not fill the queue. */
export class StageLogText {
  static readonly limit = 64 * 1024;
  #text = '';
  #cut = false;

  add(line: string): void {
    if (this.#cut) return;
    const text = line.endsWith('\n') ? line : `${line}\n`;
    if (this.#text.length + text.length <= StageLogText.limit) this.#text += text;
    else {
      this.#cut = true;
      this.#text += '[the log was cut here: it is too long]\n';
    }
  }

  toString(): string {
    return this.#text;
  }
}
