import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type ErrorCode, PismakError } from '../ground/errors.ts';
import { giveWayAsThread } from './give-way.ts';

/** What the thread says at its end. */
type FromThread = { answer: unknown } | { code: ErrorCode; message: string };

/**
 * Computes an answer in a thread of its own, so that long computations keep nobody waiting. The thread is killed when the signal
 * aborts, and when it needs too much memory (`too-large`). `module` calls `answerInThread`.
 */
export async function inThread<Answer>(
  module: URL,
  question: unknown,
  { signal, memoryMb }: { signal: AbortSignal; memoryMb: number },
): Promise<Answer> {
  signal.throwIfAborted();
  const thread = new Worker(module, {
    workerData: question,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  thread.on('message', (message: FromThread) => {
    if ('answer' in message) resolve(message.answer as Answer);
    else reject(new PismakError(message.code, message.message));
  });
  thread.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return reject(error);
    reject(
      new PismakError('too-large', `this needs more than ${memoryMb} MB of memory; ask for less at once`),
    );
  });
  thread.on('exit', () => reject(new Error('the thread ended without an answer')));
  return promise.finally(async () => {
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  });
}

/** For the module of a thread: answers the question that it was started with. */
export async function answerInThread<Question>(
  answer: (question: Question) => Promise<unknown> | unknown,
): Promise<void> {
  giveWayAsThread();
  const tell = (message: FromThread) => parentPort?.postMessage(message);
  try {
    tell({ answer: await answer(workerData as Question) });
  } catch (error) {
    if (!(error instanceof PismakError)) throw error;
    tell({ code: error.code, message: error.message });
  }
}
