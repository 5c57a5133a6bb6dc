import { PismakError } from '../ground/errors.ts';
import { sayRefusal } from '../ground/refusals.ts';
import type { Clock } from '../time/clock.ts';
import { withinTime, withSignal } from '../time/within-time.ts';
import { OwnerSlots } from '../turns/owner-slots.ts';

/** Limits of one expensive read. */
export interface ReadLimits {
  /** The user who reads: owners take turns. */
  owner: string;
  /** Counted from its turn on. */
  deadlineMs?: number | undefined;
  /** Stops the read when the caller leaves. */
  signal?: AbortSignal | undefined;
}

/** Each read needs its own connection or process. */
export const readsAtOnce = 3;
const perOwner = 2;
const waitingPerOwner = 20;
/** Twice the deadline: two earlier reads may use all their time. */
const waitMs = 20_000;
const usualDeadlineMs = 10_000;

/** The part of `Database.read` that is the same on every server: turns of owners, deadline, and callers that leave. */
export function readInTurn(clock: Clock) {
  const slots = new OwnerSlots({ inAll: readsAtOnce, perOwner, waitingPerOwner, what: 'expensive reads' });
  return async <T>(
    { owner, deadlineMs = usualDeadlineMs, signal }: ReadLimits,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const endTurn = await withSignal(clock, { ms: waitMs, signal, late: busy }, (waiting) =>
      slots.take(owner, waiting),
    );
    let running: Promise<T> | undefined;
    try {
      return await withinTime(
        clock,
        { ms: deadlineMs, signal, late: () => tookTooLong(deadlineMs) },
        (over) => {
          running = work(over);
          return running;
        },
      );
    } finally {
      // Stopped work may take a moment to end.
      void Promise.resolve(running).then(endTurn, endTurn);
    }
  };
}

export function tookTooLong(ms: number): PismakError {
  return new PismakError('took-too-long', sayRefusal('failed.stopped', { seconds: ms / 1000 }), {
    details: { deadlineMs: ms, retryAfterSeconds: 5 },
  });
}

function busy(): PismakError {
  return new PismakError('unavailable', 'too many expensive reads are under way; try again later', {
    details: { retryAfterSeconds: 10 },
  });
}
