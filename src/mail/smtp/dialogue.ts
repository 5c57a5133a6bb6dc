import type { Socket } from 'node:net';
import type { Clock } from '../../engine/time/clock.ts';
import type { Reply } from './outcome.ts';
import { ReplyReader } from './reply-reader.ts';

interface Expectation {
  /** Outstanding replies. */
  left: number;
  replies: Reply[];
  resolve(replies: Reply[]): void;
  cancelTimer(): void;
}

/** Commands to a server and its replies, in order, each with a timeout. */
export class SmtpDialogue {
  readonly #clock: Clock;
  #socket: Socket;
  readonly #reader = new ReplyReader();
  readonly #expected: Expectation[] = [];
  #isCorked = false;
  #end: Error | undefined;

  constructor(socket: Socket, clock: Clock) {
    this.#clock = clock;
    this.#socket = socket;
    this.#listen(socket);
  }

  get isOpen(): boolean {
    return this.#end === undefined;
  }

  get socket(): Socket {
    return this.#socket;
  }

  /** Whether there are unread bytes that form no complete reply. */
  get hasRest(): boolean {
    return !this.#reader.isEmpty;
  }

  /** Continues on the TLS socket that wraps the old one. */
  continueOver(encrypt: (plain: Socket) => Socket): void {
    this.#socket.removeAllListeners('data');
    this.#socket = encrypt(this.#socket);
    this.#listen(this.#socket);
  }

  /** Resolves when the socket is connected, or encrypted. */
  connected(event: 'connect' | 'secureConnect', timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end);
      const cancelTimer = this.#clock.after(timeoutMs, () =>
        this.fail(new Error(`no connection within ${timeoutMs} ms`)),
      );
      const failed = () => {
        cancelTimer();
        reject(this.#end);
      };
      this.#onFailure = failed;
      this.#socket.once(event, () => {
        cancelTimer();
        this.#onFailure = () => {};
        resolve();
      });
    });
  }
  #onFailure: () => void = () => {};

  /** Writes of one turn of the event loop share a packet. */
  write(data: string | Buffer): void {
    if (this.#end) return;
    const socket = this.#socket;
    if (!this.#isCorked) {
      this.#isCorked = true;
      socket.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        socket.uncork();
      });
    }
    socket.write(data);
  }

  async command(line: string, timeoutMs: number): Promise<Reply> {
    this.write(`${line}\r\n`);
    return this.reply(timeoutMs);
  }

  /** The next reply. Fails if the connection ends first. */
  async reply(timeoutMs: number): Promise<Reply> {
    const [reply] = await this.replies(1, timeoutMs);
    if (!reply) throw this.#end ?? new Error('the server stopped answering');
    return reply;
  }

  /** The next `count` replies, or those that came before the connection ended. */
  replies(count: number, timeoutMs: number): Promise<Reply[]> {
    return new Promise((resolve) => {
      if (this.#end) return resolve([]);
      const cancelTimer = this.#clock.after(timeoutMs, () =>
        this.fail(new Error(`no answer within ${timeoutMs} ms`)),
      );
      this.#expected.push({ left: count, replies: [], resolve, cancelTimer });
    });
  }

  /** Why the connection ended. */
  get end(): Error {
    return this.#end ?? new Error('the server stopped answering');
  }

  fail(error: Error): void {
    if (this.#end) return;
    this.#end = error;
    this.#socket.destroy();
    this.#onFailure();
    for (const { cancelTimer, replies, resolve } of this.#expected.splice(0)) {
      cancelTimer();
      resolve(replies);
    }
  }

  #listen(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.fail(error));
    socket.on('close', () => this.fail(new Error('the server closed the connection')));
  }

  #take(chunk: Buffer): void {
    try {
      for (const reply of this.#reader.push(chunk)) {
        const [expectation] = this.#expected;
        // Servers send 421 unasked when a connection is idle.
        if (!expectation) throw new Error(`the server said ${reply.code} ${reply.text}`);
        expectation.replies.push(reply);
        if (--expectation.left > 0) continue;
        this.#expected.shift();
        expectation.cancelTimer();
        expectation.resolve(expectation.replies);
      }
    } catch (error) {
      this.fail(error as Error);
    }
  }
}
