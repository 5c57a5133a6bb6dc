import { parentPort, Worker } from 'node:worker_threads';
import { messageOf, PismakError } from '../../ground/errors.ts';

/**
 * Questions and answers between this thread and another thread that has something open (a file). The other thread answers in order
 * until it is closed or dies: then all waiting and later questions fail with `unavailable`.
 */
export interface ThreadLink<Question, Answer> {
  ask(question: Question): Promise<Answer>;
  /** Lets the thread answer earlier questions, then `farewell`, and end. */
  close(farewell: Question): Promise<void>;
}

/** The parts of an error that cross threads. */
export interface CarriedError {
  message: string;
  /** The driver's error code, if any. */
  errcode?: number;
}

export type Reply = { id: number; answer: unknown } | { id: number; error: CarriedError };

/**
 * Starts the thread: a module that calls `answerQuestions`. `what` names the thing it has open in messages; `revive` makes the
 * errors for callers.
 */
export function startThread<Question, Answer>(
  module: URL,
  options: { what: string; revive: (error: CarriedError) => Error },
): ThreadLink<Question, Answer> {
  // Its objects are rows that it sends on: a larger young generation would only cost memory.
  const worker = new Worker(module, { resourceLimits: { maxYoungGenerationSizeMb: 6 } });
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  const ended = Promise.withResolvers<void>();
  let lastId = 0;
  let over: PismakError | undefined;

  const end = (reason: string, cause?: unknown) => {
    over ??= new PismakError('unavailable', `${options.what} ${reason}`, { cause });
    for (const { reject } of waiting.values()) reject(over);
    waiting.clear();
  };
  worker.on('message', (reply: Reply) => {
    const caller = waiting.get(reply.id);
    waiting.delete(reply.id);
    // An idle thread doesn't keep the process alive; one that owes an answer does.
    if (waiting.size === 0) worker.unref();
    if ('error' in reply) caller?.reject(options.revive(reply.error));
    else caller?.resolve(reply.answer as Answer);
  });
  worker.on('error', (error) => end(`failed: ${messageOf(error)}. Restart the process.`, error));
  worker.on('exit', () => {
    end('ended unexpectedly. Restart the process.');
    ended.resolve();
  });
  worker.unref();

  const ask = (question: Question) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    if (over) {
      reject(over);
      return promise;
    }
    const id = ++lastId;
    try {
      worker.postMessage({ id, question });
    } catch (error) {
      reject(options.revive({ message: messageOf(error) }));
      return promise;
    }
    if (waiting.size === 0) worker.ref();
    waiting.set(id, { resolve, reject });
    return promise;
  };

  return {
    ask,
    async close(farewell) {
      if (!over) {
        const answered = ask(farewell);
        over = new PismakError('unavailable', `${options.what} is closed`);
        try {
          await answered;
        } finally {
          await worker.terminate();
        }
      }
      await ended.promise;
    },
  };
}

/** The other thread's side. */
export function answerQuestions<Question>(answer: (question: Question) => unknown): void {
  const port = parentPort;
  if (!port) throw new Error('This module must run in its own thread');
  port.on('message', ({ id, question }: { id: number; question: Question }) => {
    try {
      port.postMessage({ id, answer: answer(question) });
    } catch (error) {
      port.postMessage({ id, error: carry(error) });
    }
  });
}

export function carry(error: unknown): CarriedError {
  const message = messageOf(error);
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? { message, errcode: error.errcode }
    : { message };
}
