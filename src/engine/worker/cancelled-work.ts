import type { Logger } from 'pino';
import type { Coordination, Unwatch } from '../coordination/coordination.ts';
import { type Followed, follow } from '../coordination/follow.ts';
import type { Database } from '../database/database.ts';
import { messageOf } from '../ground/errors.ts';
import { cancelledPath } from '../request/cancellations.ts';
import type { Request } from '../request/request.ts';
import { type Clock, sleep } from '../time/clock.ts';

/** Minimum time between two reads of the list, so that many cancellations at once cost few reads. */
const restMs = 200;
/** Delay after a failed read. */
const againMs = 1000;

type Names = Pick<Request, 'batch' | 'owner' | 'uuid'>;

/**
 * The cancelled work, as the workers of this process know it. The list is in memory, so that no message waits for a
 * database; it is read again when the node changes.
 */
export class CancelledWork {
  readonly #followed: Followed;
  readonly #closing = new AbortController();
  readonly #running = new Set<{ keys: readonly string[]; controller: AbortController }>();
  #cancelled: ReadonlySet<string> = new Set();
  #restUntil = 0;

  constructor({ clock, database, log }: { clock: Clock; database: Database; log: Logger }) {
    this.#followed = follow({
      read: async () => {
        await sleep(clock, this.#restUntil - clock.now(), this.#closing.signal);
        this.#restUntil = clock.now() + restMs;
        const rows = await database.query.selectFrom('cancelled').select(['owner', 'name']).execute();
        return new Set(rows.map(({ owner, name }) => keyOf(owner, name)));
      },
      onState: (cancelled) => this.#set(cancelled),
      onError: (error) => {
        log.warn({ error: messageOf(error) }, 'the list of cancelled requests could not be read');
        this.#restUntil = clock.now() + againMs;
        this.#followed.refresh();
      },
    });
  }

  /** Follows the list during a worker's session, until the session ends or the worker stops. */
  watch(session: Coordination): Unwatch {
    return session.watch(cancelledPath, () => this.#followed.refresh());
  }

  has({ batch, owner, uuid }: Names): boolean {
    if (this.#cancelled.size === 0) return false;
    return keysOf({ batch, owner, uuid }).some((key) => this.#cancelled.has(key));
  }

  /** A signal that aborts if the request is cancelled before `end` is called, or was cancelled already. */
  begin(request: Names): { signal: AbortSignal; end(): void } {
    const running = { keys: keysOf(request), controller: new AbortController() };
    this.#running.add(running);
    if (this.has(request)) running.controller.abort();
    return { signal: running.controller.signal, end: () => void this.#running.delete(running) };
  }

  close(): void {
    this.#closing.abort();
    this.#followed.stop();
  }

  #set(cancelled: ReadonlySet<string>): void {
    this.#cancelled = cancelled;
    for (const { keys, controller } of this.#running)
      if (keys.some((key) => cancelled.has(key))) controller.abort();
  }
}

function keysOf({ batch, owner, uuid }: Names): string[] {
  return batch === '' ? [keyOf(owner, uuid)] : [keyOf(owner, uuid), keyOf(owner, batch)];
}

function keyOf(owner: string, name: string): string {
  return `${owner}\n${name}`;
}
