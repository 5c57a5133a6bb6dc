import { type ChildProcess, fork } from 'node:child_process';
import { PismakError } from '../../ground/errors.ts';
import { awaited, giveWay } from '../../process/give-way.ts';
import { sqliteError } from './errors.ts';
import type { ReaderQuestion } from './reader.ts';
import type { SqliteAnswer } from './thread.ts';
import type { Reply } from './thread-link.ts';

type Asked = Pick<PromiseWithResolvers<SqliteAnswer>, 'resolve' | 'reject'>;

/**
 * A process with its own connection that only reads. A process, because nothing can interrupt a statement of
 * `node:sqlite`: ending a thread waits for the statement, while a process can be killed.
 */
export class ReaderProcess {
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;
  readonly exited: Promise<void>;
  alive = true;

  constructor(file: string) {
    this.#child = fork(new URL('./reader.ts', import.meta.url), [file], {
      serialization: 'advanced',
      execArgv: ['--max-old-space-size=256'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Ctrl-C in the terminal reaches only us.
      detached: true,
      env: {},
    });
    giveWay(this.#child.pid, awaited);
    this.#child.on('message', (reply: Reply) => this.#hear(reply));
    this.exited = new Promise((resolve) => {
      const end = () => {
        this.#fail();
        resolve();
      };
      this.#child.once('exit', end);
      this.#child.once('error', end);
    });
    this.#keepAlive(false);
  }

  ask(statement: Omit<ReaderQuestion, 'id'>): Promise<SqliteAnswer> {
    if (!this.alive || !this.#child.connected) return Promise.reject(gone());
    const { promise, resolve, reject } = Promise.withResolvers<SqliteAnswer>();
    const id = ++this.#lastId;
    this.#asked.set(id, { resolve, reject });
    this.#keepAlive(true);
    // An error here means that the process is exiting, which fails its question.
    this.#child.send({ id, ...statement } satisfies ReaderQuestion, () => {});
    return promise;
  }

  /** Ends the running statement at once. */
  kill(): void {
    this.#child.kill('SIGKILL');
    this.#fail();
  }

  /** Resolves when the process has ended, and keeps this process alive until then. */
  async end(): Promise<void> {
    this.kill();
    this.#child.ref();
    await this.exited;
  }

  #hear(reply: Reply): void {
    const asked = this.#asked.get(reply.id);
    this.#asked.delete(reply.id);
    if (this.#asked.size === 0) this.#keepAlive(false);
    if ('error' in reply) asked?.reject(sqliteError(reply.error));
    else asked?.resolve(reply.answer as SqliteAnswer);
  }

  #fail(): void {
    this.alive = false;
    for (const { reject } of this.#asked.values()) reject(gone());
    this.#asked.clear();
    this.#keepAlive(false);
  }

  /** An idle reader doesn't keep this process alive; one that owes an answer does. */
  #keepAlive(keep: boolean): void {
    const verb = keep ? 'ref' : 'unref';
    this.#child[verb]();
    this.#child.channel?.[verb]();
  }
}

function gone(): PismakError {
  return new PismakError('unavailable', 'The process that reads the database ended. Try again.');
}
