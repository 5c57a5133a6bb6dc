import type { ResultFile } from '../request/request.ts';

/** Runs the processor of one version of one stage. */
export interface Runner {
  /** Loads what it needs, so that the first request doesn't wait for it. Rejects when the processor can't be loaded. */
  load(): Promise<void>;
  /** Whether a request would find it loaded. */
  isLoaded(): boolean;
  /** Never rejects: whatever the processor does, it comes back as a result. */
  run(job: RunnerJob): Promise<RunnerResult>;
  close(): Promise<void>;
}

export interface RunnerJob {
  uuid: string;
  /** Whose request it is: owners share what there is. */
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
      /** Trying again can't help. */
      permanent: boolean;
      /** This worker can't serve it, but another may. */
      wrongWorker?: boolean;
      /** It was stopped by the worker, so it was not the request's fault. */
      aborted: boolean;
      /** The processor could not be loaded (any more): the request was not tried at all. */
      notLoaded?: boolean;
      /** It didn't fail by itself: its time was up, or its process ended (`crashed twice`: a second one right after, too). */
      ended?: 'timeout' | 'crashed' | 'crashed twice';
      log: string;
    };

/** The stage's log, bounded: a processor that talks without end must not fill the queue. */
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
