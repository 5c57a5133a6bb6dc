import { type ChildProcess, fork } from 'node:child_process';
import { decoderSandbox } from '../sandbox/find-sandbox.ts';
import { innermost, signalOf } from '../sandbox/innermost.ts';
import type { Clock } from '../time/clock.ts';
import { PermanentFailure } from './processor.ts';
import { type Overrun, type UseLimits, watchUse } from './watch-use.ts';

export type FromHelper<Answer> =
  | { type: 'ready' }
  | { type: 'answer'; answer: Answer; cpuSeconds: number }
  /** `isSpoiled`: the process can't be used again. */
  | { type: 'failed'; reason: string; permanent: boolean; isSpoiled: boolean; cpuSeconds: number };

export type ToHelper<Question> = { question: Question; inputBytes: number } | { chunk: Uint8Array };

/** Bytes that a question is about. They are read again if the question has to be asked again. */
export interface HelperInput {
  bytes: number;
  read(): AsyncIterable<Uint8Array>;
}

/** An idle process ends after this time. */
const idleMs = 30_000;

/**
 * A process beside a processor's own, for work on foreign data that may never end, exhaust memory or crash. It answers one
 * question at a time, within limits. After an overrun or a crash, the next question gets a new process, so a bad page costs
 * only that page. `module` calls `answerQuestions`.
 *
 * One that `decodes` runs in the sandbox for decoders: it sees this program and an empty /tmp, and has no network; all that it works on
 * comes with the question. Others see what this process sees.
 */
export class HelperProcess<Question, Answer> {
  readonly #module: URL;
  readonly #clock: Clock;
  readonly #decodes: boolean;
  readonly #onStart: () => void;
  #child: ChildProcess | undefined;
  #nodePid: number | undefined;
  #cancelIdle = () => {};
  /** Processor time of all questions so far. */
  cpuSeconds = 0;
  #usedByChild = 0;

  constructor(parts: { module: URL; clock: Clock; decodes: boolean; onStart?: () => void }) {
    this.#module = parts.module;
    this.#clock = parts.clock;
    this.#decodes = parts.decodes;
    this.#onStart = parts.onStart ?? (() => {});
  }

  /** Killing it ends the helper, and the programs that confine it. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Rejects with an `Overrun` beyond the limits, and with a `PermanentFailure` if the question crashes its process twice. */
  async ask(
    question: Question,
    limits: UseLimits,
    signal?: AbortSignal,
    input?: HelperInput,
  ): Promise<Answer> {
    try {
      return await this.#try(question, limits, signal, input);
    } catch (error) {
      // The machine may have been short of memory for a moment.
      if (!(error instanceof Crash)) throw error;
      return await this.#try(question, limits, signal, input);
    }
  }

  /** Kills the process. The next question starts another one. */
  close(): void {
    this.#cancelIdle();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  async #start(): Promise<ChildProcess> {
    const confined = this.#decodes ? (await decoderSandbox()).forkOptions() : { execArgv: [] };
    const child = fork(this.#module, {
      serialization: 'advanced',
      ...confined,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    // Late errors of an exiting process must not end this one.
    child.on('error', () => {});
    this.#child = child;
    this.#nodePid = undefined;
    this.#usedByChild = 0;
    this.#onStart();
    return child;
  }

  async #try(
    question: Question,
    limits: UseLimits,
    signal: AbortSignal | undefined,
    input: HelperInput | undefined,
  ): Promise<Answer> {
    signal?.throwIfAborted();
    this.#cancelIdle();
    const isNew = this.#child === undefined;
    const child = this.#child ?? (await this.#start());
    if (signal?.aborted) this.close();
    signal?.throwIfAborted();
    child.ref();
    child.channel?.ref();
    let isReady = !isNew;
    let overrun: Overrun | undefined;
    const stopWatching = watchUse({
      pid: () => this.#nodePid ?? child.pid,
      limits,
      clock: this.#clock,
      onOverrun: (found) => {
        overrun = found;
        this.close();
      },
    });
    const abort = () => this.close();
    signal?.addEventListener('abort', abort, { once: true });
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const onMessage = (message: FromHelper<Answer>) => {
      if (message.type === 'ready') {
        isReady = true;
        this.#nodePid = innermost(child.pid);
      } else {
        this.#count(message.cpuSeconds);
        if (message.type === 'answer') return resolve(message.answer);
        if (message.isSpoiled) this.close();
        reject(message.permanent ? new PermanentFailure(message.reason) : new Error(message.reason));
      }
    };
    const onExit = (code: number | null, signalName: string | null) => {
      const killedBy = signalOf(code, signalName);
      if (overrun) {
        this.cpuSeconds += overrun.limit === 'time' ? limits.seconds : 0;
        reject(overrun);
      } else if (signal?.aborted) reject(signal.reason);
      else {
        const how = killedBy ? `was killed by ${killedBy}` : `ended with exit code ${code}`;
        // If a process can't even start, the question is not to blame.
        reject(
          isReady ? new Crash(`the program that opens it ${how}`) : new Error(`a helper process ${how}`),
        );
      }
    };
    const onError = (error: Error) => reject(error);
    child.on('message', onMessage);
    child.once('exit', onExit);
    child.once('error', onError);
    child.send({ question, inputBytes: input?.bytes ?? 0 } satisfies ToHelper<Question>, () => {});
    if (input) {
      sendInput(child, input).catch((error: unknown) => {
        this.close();
        reject(error);
      });
    }
    return promise.finally(() => {
      stopWatching();
      signal?.removeEventListener('abort', abort);
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', onError);
      // An idle helper doesn't keep the program running, and ends with it.
      child.unref();
      child.channel?.unref();
      this.#cancelIdle = this.#clock.after(idleMs, () => this.close());
    });
  }

  #count(usedByChild: number): void {
    this.cpuSeconds += usedByChild - this.#usedByChild;
    this.#usedByChild = usedByChild;
  }
}

/** One chunk after another, so that no more than one waits in memory. */
async function sendInput(child: ChildProcess, { bytes, read }: HelperInput): Promise<void> {
  let left = bytes;
  for await (const chunk of read()) {
    left -= chunk.length;
    if (left < 0 || !child.connected) break;
    const { promise, resolve } = Promise.withResolvers<void>();
    // It ended: whoever asked learns it from its exit.
    child.send({ chunk }, () => resolve());
    await promise;
  }
  if (left !== 0 && child.connected) throw new Error(`${bytes - left} bytes came instead of ${bytes}`);
}

class Crash extends PermanentFailure {}
