import { AsyncLocalStorage } from 'node:async_hooks';
import type { Mutex } from '../../database/sqlite/mutex.ts';
import { PismakError } from '../../errors.ts';
import type { Hold } from '../coordination.ts';

interface Line {
  holder: Holder | undefined;
  /** In the order of asking. */
  waiting: Waiter[];
}

interface Holder {
  session: string;
  identity: string;
  fence: number;
  lost: AbortController;
}

interface Waiter {
  session: string;
  identity: string;
  resolve(hold: Hold): void;
  reject(reason: unknown): void;
}

/** For each path at most one holder and a line of those who wait for it. */
export class HoldLines {
  readonly #lines = new Map<string, Line>();
  readonly #turns: Mutex;
  readonly #nextFence: (path: string) => Promise<number>;
  /** Handing over serves the next in line: it must not run as a part of what the last one was doing. */
  readonly #outside = AsyncLocalStorage.snapshot();

  /** `turns` are shared with all other writes, so that none is half done when a hold changes hands. */
  constructor(turns: Mutex, nextFence: (path: string) => Promise<number>) {
    this.#turns = turns;
    this.#nextFence = nextFence;
  }

  async hold(path: string, session: string, identity: string, signal?: AbortSignal): Promise<Hold> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Hold>();
    const waiter: Waiter = { session, identity, resolve, reject };
    const line = this.#lines.get(path) ?? { holder: undefined, waiting: [] };
    this.#lines.set(path, line);
    line.waiting.push(waiter);
    const leave = () => {
      line.waiting = line.waiting.filter((other) => other !== waiter);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    this.#handOver(path);
    return promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  holder(path: string): { identity: string; fence: number } | undefined {
    const holder = this.#lines.get(path)?.holder;
    return holder && { identity: holder.identity, fence: holder.fence };
  }

  /** Throws unless this very hold is still its session's. */
  check(hold: Hold, session: string): void {
    const holder = this.#lines.get(hold.path)?.holder;
    if (holder?.fence === hold.fence && holder.session === session) return;
    throw new PismakError('hold-lost', `${hold.identity} does not hold ${hold.path} any more`, {
      details: { path: hold.path, fence: hold.fence },
    });
  }

  /** To be called in a turn. */
  dropSession(session: string, reason: PismakError): void {
    for (const [path, line] of this.#lines) {
      for (const waiter of line.waiting) if (waiter.session === session) waiter.reject(reason);
      line.waiting = line.waiting.filter((waiter) => waiter.session !== session);
      if (line.holder?.session === session) {
        const { lost } = line.holder;
        line.holder = undefined;
        lost.abort(reason);
      }
      this.#handOver(path);
    }
  }

  #handOver(path: string): void {
    this.#outside(() => this.#turns.run(() => this.#serveNext(path)));
  }

  async #serveNext(path: string): Promise<void> {
    const line = this.#lines.get(path);
    while (line && !line.holder) {
      const next = line.waiting[0];
      if (!next) {
        this.#lines.delete(path);
        return;
      }
      const fence = await this.#nextFence(path).catch((error: unknown) => {
        next.reject(error);
        return undefined;
      });
      // It may have left the line meanwhile.
      const stillFirst = line.waiting[0] === next;
      if (stillFirst) line.waiting.shift();
      if (stillFirst && fence !== undefined) this.#grant(path, line, next, fence);
    }
  }

  #grant(path: string, line: Line, { session, identity, resolve }: Waiter, fence: number): void {
    const holder: Holder = { session, identity, fence, lost: new AbortController() };
    line.holder = holder;
    resolve({
      path,
      identity,
      fence,
      lost: holder.lost.signal,
      release: async () => {
        await this.#turns.run(() => {
          if (line.holder === holder) line.holder = undefined;
        });
        this.#handOver(path);
      },
    });
  }
}
