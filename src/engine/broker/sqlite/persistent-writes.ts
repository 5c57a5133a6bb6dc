import type { PismakError } from '../../ground/errors.ts';
import type { Clock } from '../../time/clock.ts';
import type { BrokerThread } from './broker-thread.ts';
import type { Arguments, CommandName } from './commands.ts';

const againMs = 1000;

/**
 * Writes that are retried while the process lives. The work of an acked message is done: if the disk is full, retrying
 * the ack is right, and repeating the work is not.
 */
export class PersistentWrites {
  readonly #thread: BrokerThread;
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #closing = false;

  constructor(thread: BrokerThread, clock: Clock) {
    this.#thread = thread;
    this.#clock = clock;
  }

  run<Name extends CommandName>(command: Name, parameters: Arguments<Name>, done: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const written = () => {
        done();
        resolve();
      };
      const failed = (error: PismakError) => {
        if (this.#closing) return reject(error);
        const giveUp = () => {
          cancel();
          reject(error);
        };
        const cancel = this.#clock.after(againMs, () => {
          this.#waiting.delete(giveUp);
          write();
        });
        this.#waiting.add(giveUp);
      };
      const write = () => this.#thread.run(command, parameters, written, failed);
      write();
    });
  }

  /** From now on a failure is final: those messages will be delivered again. */
  close(): void {
    this.#closing = true;
    for (const giveUp of this.#waiting) giveUp();
    this.#waiting.clear();
  }
}
