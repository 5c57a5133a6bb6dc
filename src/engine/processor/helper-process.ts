import { type ChildProcess, fork } from 'node:child_process';
import type { Clock } from '../time/clock.ts';
import { PermanentFailure } from './processor.ts';
import { type Overrun, type UseLimits, watchUse } from './watch-use.ts';

export type FromHelper<Answer> =
  | { type: 'ready' }
  | { type: 'answer'; answer: Answer; cpuSeconds: number }
  /** `isSpoiled`: the process can't be used again. */
  | { type: 'failed'; reason: string; permanent: boolean; isSpoiled: boolean; cpuSeconds: number };

/** An idle process ends after this time. */
const idleMs = 30_000;

/**
 * A process beside a processor's own, for work on foreign data that may never end, exhaust memory or crash. It answers one
 * question at a time, within limits. After an overrun or a crash, the next question gets a new process, so a bad page costs
 * only that page. `module` calls `answerQuestions`.
 */
export class HelperProcess<Question, Answer> {
  readonly #module: URL;
  readonly #clock: Clock;
  #child: ChildProcess | undefined;
  #cancelIdle = () => {};
  /** Processor time of all questions so far. */
  cpuSeconds = 0;
  #usedByChild = 0;

  constructor(parts: { module: URL; clock: Clock }) {
    this.#module = parts.module;
    this.#clock = parts.clock;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Rejects with an `Overrun` beyond the limits, and with a `PermanentFailure` if the question crashes its process twice. */
  async ask(question: Question, limits: UseLimits, signal?: AbortSignal): Promise<Answer> {
    try {
      return await this.#try(question, limits, signal);
    } catch (error) {
      // The machine may have been short of memory for a moment.
      if (!(error instanceof Crash)) throw error;
      return await this.#try(question, limits, signal);
    }
  }

  /** Kills the process. The next question starts another one. */
  close(): void {
    this.#cancelIdle();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #start(): ChildProcess {
    if (this.#child) return this.#child;
    const child = fork(this.#module, {
      serialization: 'advanced',
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    // Late errors of an exiting process must not end this one.
    child.on('error', () => {});
    this.#child = child;
    this.#usedByChild = 0;
    return child;
  }

  #try(question: Question, limits: UseLimits, signal: AbortSignal | undefined): Promise<Answer> {
    signal?.throwIfAborted();
    this.#cancelIdle();
    const isNew = this.#child === undefined;
    const child = this.#start();
    child.ref();
    child.channel?.ref();
    let isReady = !isNew;
    let overrun: Overrun | undefined;
    const stopWatching = watchUse({
      pid: child.pid,
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
      if (message.type === 'ready') isReady = true;
      else {
        this.#count(message.cpuSeconds);
        if (message.type === 'answer') return resolve(message.answer);
        if (message.isSpoiled) this.close();
        reject(message.permanent ? new PermanentFailure(message.reason) : new Error(message.reason));
      }
    };
    const onExit = (code: number | null, killedBy: string | null) => {
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
    child.send(question as object, () => {});
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

class Crash extends PermanentFailure {}
