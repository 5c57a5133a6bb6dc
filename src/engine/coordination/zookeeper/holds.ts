import { hasCode, PismakError } from '../../ground/errors.ts';
import { newId } from '../../ground/identity.ts';
import type { Clock } from '../../time/clock.ts';
import { unlessAborted } from '../../time/deadline.ts';
import type { Hold } from '../coordination.ts';
import { holdLost } from '../errors.ts';
import { createFlags, exists, getChildren, getData, remove, type Stat } from './requests.ts';
import { type Following, followZnode } from './watching.ts';
import type { Held } from './znodes.ts';

/**
 * The queue for a hold is a directory of ephemeral sequential znodes: ZooKeeper's recipe for locks. A caller is
 *
 * - *waiting* while another znode is before its own: it watches that one alone, so a handover wakes one waiter and not all;
 * - *holder* when its znode is the first;
 * - *out* when its znode is deleted: by `release`, by an aborted wait, or by the server when the session ends (the hold is lost).
 */
export class ZookeeperHolds {
  readonly #by: Following;
  readonly #clock: Clock;
  readonly #held = new Map<Hold, { znode: string; lost: AbortController }>();

  constructor(by: Following, clock: Clock) {
    this.#by = by;
    this.#clock = clock;
    const { ended } = by.znodes.client;
    ended.addEventListener('abort', () => {
      for (const { lost } of this.#held.values()) lost.abort(ended.reason);
    });
  }

  async hold(path: string, identity: string, signal?: AbortSignal): Promise<Hold> {
    signal?.throwIfAborted();
    return unlessAborted(this.#join(path, identity, signal), signal);
  }

  async holder(path: string): Promise<{ identity: string; fence: number } | undefined> {
    const { znodes } = this.#by;
    const queue = znodes.names.queue(path);
    for (;;) {
      const [, waiting] = await Promise.all([znodes.catchUp(), znodes.ifThere(getChildren(queue, false))]);
      const [first] = inOrder(waiting ?? []);
      if (first === undefined) return undefined;
      const found = await znodes.ifThere(getData(`${queue}/${first}`, false));
      if (found) return { identity: found.data.toString(), fence: Number(found.stat.czxid) };
    }
  }

  /** Throws unless this session got this hold and has not released it. */
  find(hold: Hold): Held {
    const held = this.#held.get(hold);
    if (!held) throw holdLost(hold);
    return { hold, znode: held.znode };
  }

  async #join(path: string, identity: string, signal?: AbortSignal): Promise<Hold> {
    const { znodes } = this.#by;
    const queue = znodes.names.queue(path);
    // By this mark we find our znode again even if the answer is lost.
    const mark = newId(this.#clock);
    await znodes.make(`${queue}/${mark}-`, identity, createFlags.ephemeralSequential, true);
    for (;;) {
      const waiting = inOrder((await znodes.ifThere(getChildren(queue, false))) ?? []);
      const [own, ...spare] = waiting.filter((name) => name.startsWith(mark));
      if (own === undefined) {
        throw new PismakError(
          'hold-lost',
          `${identity} is no longer in the queue for ${path}: its znode is gone.`,
        );
      }
      const leaving = signal?.aborted ? [own, ...spare] : spare;
      await Promise.all(leaving.map((name) => znodes.ifThere(remove(`${queue}/${name}`))));
      signal?.throwIfAborted();
      const before = waiting[waiting.indexOf(own) - 1];
      if (before !== undefined) await this.#gone(`${queue}/${before}`, signal);
      else {
        const stat = await znodes.ifThere(exists(`${queue}/${own}`, false));
        if (stat && !signal?.aborted) return this.#grant(path, identity, `${queue}/${own}`, stat);
      }
    }
  }

  /** Waits until the znode may be gone, or there is another reason to read the queue again. */
  async #gone(znode: string, signal?: AbortSignal): Promise<void> {
    const { znodes } = this.#by;
    const { promise, resolve } = Promise.withResolvers<void>();
    const onAbort = () => resolve();
    const stop = znodes.client.listen(znode, resolve);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      if (await znodes.ifThere(exists(znode, true))) await promise;
    } finally {
      stop();
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #grant(path: string, identity: string, znode: string, stat: Stat): Hold {
    const { znodes } = this.#by;
    const lost = new AbortController();
    const forget = () => {
      unfollow();
      this.#held.delete(hold);
    };
    const hold: Hold = {
      path,
      identity,
      // Below 2^53 for the first two million elections among the servers.
      fence: Number(stat.czxid),
      lost: lost.signal,
      release: async () => {
        if (!this.#held.has(hold)) return;
        forget();
        await znodes.ifThere(remove(znode)).catch((error: unknown) => {
          // The hold ended with the session.
          if (!hasCode(error, 'session-lost')) throw error;
        });
      },
    };
    this.#held.set(hold, { znode, lost });
    const stillThere = async () => (await znodes.ifThere(exists(znode, true))) !== undefined;
    const unfollow = followZnode(this.#by, znode, stillThere, (isThere) => {
      if (isThere) return;
      forget();
      lost.abort(holdLost(hold));
    });
    return hold;
  }
}

/** The name of a sequential znode ends with the server's number. */
function inOrder(names: string[]): string[] {
  const number = (name: string) => name.slice(name.lastIndexOf('-') + 1);
  return names.sort((a, b) => (number(a) < number(b) ? -1 : 1));
}
