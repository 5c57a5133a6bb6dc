import { PismakError } from '../errors.ts';
import type { Clock } from '../time/clock.ts';
import { OwnerSlots } from '../time/owner-slots.ts';
import { withinTime } from '../time/within-time.ts';

/** Limits of one expensive read. */
export interface ReadLimits {
  /** Whose read it is: owners take turns. */
  owner: string;
  /** From the call to the answer, the wait in line included. */
  deadlineMs?: number | undefined;
  /** Stops the read when the caller leaves. */
  signal?: AbortSignal | undefined;
}

/** Each needs a connection or a process of its own. */
export const readsAtOnce = 3;
const perOwner = 2;
const waitingPerOwner = 20;
const usualDeadlineMs = 10_000;

/** The part of `Database.read` that is the same on every server: turns of owners, deadline, and callers that leave. */
export function readInTurn(clock: Clock) {
  const slots = new OwnerSlots({ inAll: readsAtOnce, perOwner, waitingPerOwner, what: 'expensive reads' });
  return <T>(
    { owner, deadlineMs = usualDeadlineMs, signal }: ReadLimits,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const late = () =>
      new PismakError(
        'took-too-long',
        `this took longer than ${deadlineMs / 1000} s and was stopped; ask for less at once, or try again later`,
        { details: { deadlineMs, retryAfterSeconds: 5 } },
      );
    return withinTime(clock, { ms: deadlineMs, signal, late }, (over) =>
      slots.run(owner, over, () => work(over)),
    );
  };
}
