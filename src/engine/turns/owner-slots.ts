import { PismakError } from '../ground/errors.ts';

export interface OwnerSlotLimits {
  inAll: number;
  /** Less than `inAll`, so that one owner can't have all slots. Default: no such limit. */
  perOwner?: number;
  /** How many callers of one owner may wait. */
  waitingPerOwner: number;
  /** How many callers may wait in all. Default: no such limit. */
  waiting?: number;
  /** Names the slots in refusals: "searches". */
  what: string;
}

interface Waiting {
  start(): void;
}

/**
 * Slots for calls; those for messages are in `elastic-slots.ts`. A few callers run at once, and fewer per owner. When slots are short,
 * owners take turns: an owner with a long line delays its own callers, not those of others. A caller that would wait too long is
 * refused at once. The owner is a user, or a substitute: for sign-ins, the network of the caller.
 */
export class OwnerSlots {
  readonly #limits: OwnerSlotLimits;
  readonly #running = new Map<string, number>();
  /** Owners in the order of their turns. */
  readonly #lines = new Map<string, Waiting[]>();
  #free: number;
  #waiting = 0;

  constructor(limits: OwnerSlotLimits) {
    this.#limits = limits;
    this.#free = limits.inAll;
  }

  /**
   * Resolves when it is the caller's turn; the returned function ends it. Throws `unavailable` when too many callers of
   * the owner wait, and the signal's reason when it aborts first.
   */
  async take(owner: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#mayStart(owner)) this.#start(owner);
    else await this.#wait(owner, signal);
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      this.#end(owner);
    };
  }

  async run<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const end = await this.take(owner, signal);
    try {
      return await work();
    } finally {
      end();
    }
  }

  #mayStart(owner: string): boolean {
    const { perOwner = Number.POSITIVE_INFINITY } = this.#limits;
    return this.#free > 0 && (this.#running.get(owner) ?? 0) < perOwner;
  }

  #start(owner: string): void {
    this.#free--;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
  }

  #end(owner: string): void {
    this.#free++;
    const left = (this.#running.get(owner) ?? 1) - 1;
    if (left > 0) this.#running.set(owner, left);
    else this.#running.delete(owner);
    for (const [next, line] of this.#lines) {
      if (!this.#mayStart(next)) continue;
      const first = line.shift();
      // Move the owner to the end of the turns, or out of them.
      this.#lines.delete(next);
      if (line.length > 0) this.#lines.set(next, line);
      if (!first) continue;
      this.#waiting--;
      this.#start(next);
      first.start();
      return;
    }
  }

  #wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    const { waitingPerOwner, waiting: most = Number.POSITIVE_INFINITY, what } = this.#limits;
    const line = this.#lines.get(owner) ?? [];
    if (line.length >= waitingPerOwner)
      throw refused(`You already have ${line.length} ${what} waiting. Try again when some of them are done.`);
    if (this.#waiting >= most) throw refused(`Too many ${what} are waiting. Try again in a few seconds.`);
    this.#lines.set(owner, line);
    this.#waiting++;
    return new Promise((resolve, reject) => {
      const leave = () => {
        const place = line.indexOf(waiting);
        if (place >= 0) {
          line.splice(place, 1);
          this.#waiting--;
        }
        if (line.length === 0 && this.#lines.get(owner) === line) this.#lines.delete(owner);
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        start: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      line.push(waiting);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}

function refused(message: string): PismakError {
  return new PismakError('unavailable', message, { details: { retryAfterSeconds: 5 } });
}
