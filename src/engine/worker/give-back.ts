import type { Delivery } from '../broker/broker.ts';

/*
 * A request that its processor refuses as `WrongWorker` returns to the queue, for a worker that can serve it. It waits a
 * while, so that workers that can't serve it have time for other requests. After about fifty minutes it fails: nobody can serve it,
 * and a request that anybody may send must not go round for ever.
 */
const mostTimes = 100;
const longestMs = 30_000;
/** Distinguishes a returned request from a failed attempt in the history of a message. */
const mark = 'not for this worker: ';

export function mayGiveBack(delivery: Pick<Delivery, 'history'>): boolean {
  return timesGivenBack(delivery) < mostTimes;
}

export function giveBack(delivery: Delivery, reason: string): Promise<void> {
  const delayMs = Math.min(longestMs, 500 * 2 ** timesGivenBack(delivery));
  return delivery.retry({ delayMs, reason: `${mark}${reason}` });
}

/** The number of this attempt, not counting those after which the request was returned. */
export function ownAttempts(delivery: Pick<Delivery, 'attempt' | 'history'>): number {
  return Math.max(1, delivery.attempt - timesGivenBack(delivery));
}

function timesGivenBack({ history }: Pick<Delivery, 'history'>): number {
  return history.filter(({ reason }) => reason.startsWith(mark)).length;
}
