import type { Arrival, Sent } from './work.ts';

/** How the installation came through one fault, seen from outside: by what went in, and what came out when. */
export interface Recovery {
  /** Requests that were confirmed before the fault and had not come out. */
  underWay: number;
  /** From the fault until the first request that was sent after it had come out. */
  workGoesOnMs: number;
  /** From the fault until the last of those under way had come out; 0 when there were none. */
  allOutMs: number;
}

/** When each request came out for the first time. */
export function firstArrivals(arrivals: Iterable<Arrival>): Map<string, number> {
  const first = new Map<string, number>();
  for (const { uuid, at } of arrivals) if (at < (first.get(uuid) ?? Infinity)) first.set(uuid, at);
  return first;
}

/** Undefined while it has not recovered. */
export function recoveryFrom(
  faultAt: number,
  sent: readonly Sent[],
  first: ReadonlyMap<string, number>,
): Recovery | undefined {
  const outAt = ({ uuid }: Sent) => first.get(uuid) ?? Infinity;
  const underWay = sent.filter((one) => one.confirmedAt <= faultAt && outAt(one) > faultAt);
  const after = sent.filter((one) => one.begunAt > faultAt);
  const workGoesOnMs = Math.min(...after.map(outAt)) - faultAt;
  const allOutMs = Math.max(faultAt, ...underWay.map(outAt)) - faultAt;
  if (workGoesOnMs === Infinity || allOutMs === Infinity) return undefined;
  return { underWay: underWay.length, workGoesOnMs, allOutMs };
}

export interface Balance {
  sent: number;
  /** Messages read from the output queue. */
  arrived: number;
  /** Confirmed to the producer, and never came out. Must be 0. */
  lost: number;
  /** Came out as failed. */
  failed: number;
  /** Messages beyond the first of each request. */
  duplicates: number;
  /** Of the duplicates: the server delivered to the checker once more what it could not know to be there. */
  redelivered: number;
  /** Came out, though nobody has sent them. */
  foreign: number;
}

export function balanceOf(sent: readonly Sent[], arrivals: readonly Arrival[]): Balance {
  const first = firstArrivals(arrivals);
  const known = new Set(sent.map(({ uuid }) => uuid));
  return {
    sent: known.size,
    arrived: arrivals.length,
    lost: [...known].filter((uuid) => !first.has(uuid)).length,
    failed: new Set(arrivals.filter(({ failed }) => failed).map(({ uuid }) => uuid)).size,
    duplicates: arrivals.length - first.size,
    redelivered: arrivals.filter(({ redelivered }) => redelivered).length,
    foreign: [...first.keys()].filter((uuid) => !known.has(uuid)).length,
  };
}
