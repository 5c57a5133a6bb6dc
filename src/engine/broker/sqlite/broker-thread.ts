import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { isDiskFull } from '../../database/sqlite/errors.ts';
import { diskFull } from '../../disk/disk-reserve.ts';
import { PismakError } from '../../ground/errors.ts';
import type { Arguments, CommandName, Result } from './commands.ts';
import { GroupCommit, type LazyWrite } from './group-commit.ts';
import { type FromThread, type Problem, problemOf, type ToThread } from './protocol.ts';
import type { FileState } from './queue-commands.ts';

/** The thread that has the file, as the broker sees it. */
export interface BrokerThread {
  run: GroupCommit['run'];
  insert: GroupCommit['insert'];
  runLazily<Name extends CommandName>(command: Name, parameters: Arguments<Name>): LazyWrite;
  /** For callers that don't depend on the order of answers. */
  ask<Name extends CommandName>(command: Name, ...parameters: Arguments<Name>): Promise<Result<Name>>;
  snapshot(file: string): Promise<void>;
  /** Commits what waits and ends the thread. */
  close(): Promise<void>;
}

/**
 * Starts the thread. It is *opening* until `file` is open and its state is read (the promise resolves), then *open* until `close`,
 * or *ended* when it fails: then every waiting and later command fails with the reason.
 */
export function startBrokerThread(file: string): Promise<{ thread: BrokerThread; state: FileState }> {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: { file },
    name: 'broker',
  });
  const send = (message: ToThread, transfer: ArrayBuffer[] = []) => worker.postMessage(message, transfer);
  const commit = new GroupCommit((batch) => send({ batch }, [batch.bodies.buffer]));
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const snapshots: ((problem: Problem | null) => void)[] = [];
  let lastSnapshot: Promise<void> = Promise.resolve();

  const thread: BrokerThread = {
    run: commit.run.bind(commit),
    insert: commit.insert.bind(commit),
    runLazily: commit.runLazily.bind(commit),
    ask: (command, ...parameters) =>
      new Promise((resolve, reject) => commit.run(command, parameters, resolve, reject)),
    snapshot(copy) {
      const made = new Promise<void>((resolve, reject) => {
        snapshots.push((problem) => (problem ? reject(fileError(copy, problem)) : resolve()));
        send({ snapshot: copy });
      });
      lastSnapshot = made.catch(() => {});
      return made;
    },
    async close() {
      await Promise.all([commit.idle(), lastSnapshot]);
      commit.end(new PismakError('unavailable', 'The queues are closed.'));
      send({ close: true });
      await ended;
    },
  };

  return new Promise((resolve, reject) => {
    let failure: Problem | undefined;
    worker.on('message', (message: FromThread) => {
      if ('opened' in message) resolve({ thread, state: message.opened });
      else if ('snapshot' in message) snapshots.shift()?.(message.snapshot);
      else {
        const problems = message.problems.map(
          ([index, problem]) => [index, fileError(file, problem)] as const,
        );
        commit.committed(message.values, new Map(problems));
      }
    });
    worker.once('error', (error) => {
      failure = problemOf(error);
    });
    worker.once('exit', () => {
      const problem = failure ?? { message: 'the thread that has the file ended', errcode: undefined };
      const error = fileError(file, problem);
      reject(error);
      commit.end(error);
      for (const fail of snapshots.splice(0)) fail(problem);
    });
  });
}

/** What the user should do about some SQLite result codes. */
const advice: Readonly<Record<number, string>> = {
  8: 'Check the permissions of the file and its directory.',
  11: 'Restore it from a backup.',
  14: 'Check that the directory exists and is writable.',
  26: 'Another program wrote it. Move it away, or restore it from a backup.',
};

function fileError(file: string, { message, errcode }: Problem): PismakError {
  if (isDiskFull(errcode)) return diskFull(new Error(message));
  // The low byte is the primary result code.
  const code = (errcode ?? 0) & 0xff;
  if (code === 5) {
    return new PismakError('data-directory-in-use', `The queues in ${file} are in use by another process.`);
  }
  // Callers see this, so it names no path.
  const text = `The queues (${basename(file)}) are not available: ${message}. ${advice[code] ?? 'Restart to try again.'}`;
  return new PismakError('unavailable', text, { cause: new Error(`${file}: ${message}`) });
}
