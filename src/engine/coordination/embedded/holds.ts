import { AsyncLocalStorage } from 'node:async_hooks';
import type { Queries } from '../../database/database.ts';
import type { PismakError } from '../../ground/errors.ts';
import type { Slots } from '../../turns/slots.ts';
import type { Hold } from '../coordination.ts';
import { holdLost } from '../errors.ts';

interface Queue {
  holder: Holder | undefined;
  /** First come, first served. */
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

/** For each path at most one holder, and a queue of waiting sessions. The database keeps the fences. */
export class EmbeddedHolds {
  readonly #queues = new Map<string, Queue>();
  readonly #queries: Queries;
  readonly #turns: Slots;
  /** Handing over serves the next session, so it must not run in the async context of the last one. */
  readonly #outside = AsyncLocalStorage.snapshot();

  /** `turns` is shared with all other writes, so that none is half done when a hold changes hands. */
  constructor(queries: Queries, turns: Slots) {
    this.#queries = queries;
    this.#turns = turns;
  }

  async hold(path: string, session: string, identity: string, signal?: AbortSignal): Promise<Hold> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Hold>();
    const waiter: Waiter = { session, identity, resolve, reject };
    const queue = this.#queues.get(path) ?? { holder: undefined, waiting: [] };
    this.#queues.set(path, queue);
    queue.waiting.push(waiter);
    const leave = () => {
      queue.waiting = queue.waiting.filter((other) => other !== waiter);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    this.#handOver(path);
    return promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  holder(path: string): { identity: string; fence: number } | undefined {
    const holder = this.#queues.get(path)?.holder;
    return holder && { identity: holder.identity, fence: holder.fence };
  }

  /** Throws unless the session still has this very hold. */
  check(hold: Hold, session: string): void {
    const holder = this.#queues.get(hold.path)?.holder;
    if (holder?.fence === hold.fence && holder.session === session) return;
    throw holdLost(hold);
  }

  /** Call this within a turn. */
  drop(session: string, reason: PismakError): void {
    for (const [path, queue] of this.#queues) {
      for (const waiter of queue.waiting) if (waiter.session === session) waiter.reject(reason);
      queue.waiting = queue.waiting.filter((waiter) => waiter.session !== session);
      if (queue.holder?.session === session) {
        const { lost } = queue.holder;
        queue.holder = undefined;
        lost.abort(reason);
      }
      this.#handOver(path);
    }
  }

  #handOver(path: string): void {
    this.#outside(() => this.#turns.run(() => this.#serveNext(path)));
  }

  async #serveNext(path: string): Promise<void> {
    const queue = this.#queues.get(path);
    while (queue && !queue.holder) {
      const next = queue.waiting[0];
      if (!next) {
        this.#queues.delete(path);
        return;
      }
      const fence = await nextFence(this.#queries, path).catch((error: unknown) => {
        next.reject(error);
        return undefined;
      });
      // The waiter may have left the queue meanwhile.
      const stillFirst = queue.waiting[0] === next;
      if (stillFirst) queue.waiting.shift();
      if (stillFirst && fence !== undefined) this.#grant(path, queue, next, fence);
    }
  }

  #grant(path: string, queue: Queue, { session, identity, resolve }: Waiter, fence: number): void {
    const holder: Holder = { session, identity, fence, lost: new AbortController() };
    queue.holder = holder;
    resolve({
      path,
      identity,
      fence,
      lost: holder.lost.signal,
      release: async () => {
        await this.#turns.run(() => {
          if (queue.holder === holder) queue.holder = undefined;
        });
        this.#handOver(path);
      },
    });
  }
}

async function nextFence(queries: Queries, path: string): Promise<number> {
  const { fence } = await queries
    .insertInto('coordinationFence')
    .values({ path, fence: 1 })
    .onConflict((conflict) =>
      conflict.column('path').doUpdateSet((row) => ({ fence: row('coordinationFence.fence', '+', 1) })),
    )
    .returning('fence')
    .executeTakeFirstOrThrow();
  return fence;
}
