/** The four rules of politeness. They hold for the whole cluster, whatever the number of harvesters and crawls. */
export interface Rules {
  /** Milliseconds between the end of a request to a host and the beginning of the next one to it. */
  reqDelayMs: number;
  /** Maximum number of hosts of one address in a batch; without a delay, also the maximum concurrency of an address. */
  maxHosts: number;
  /** Maximum number of requests to a host between two general pauses. */
  maxReqs: number;
  /** Milliseconds that an address rests after every batch. */
  generalPauseMs: number;
}

/** Rules that satisfy all given rules: crawls that meet on an address keep to these. */
export function strictest(rules: readonly Rules[]): Rules {
  const [first, ...others] = rules;
  if (!first) throw new RangeError('no rules to choose from');
  return others.reduce(
    (one, other) => ({
      reqDelayMs: Math.max(one.reqDelayMs, other.reqDelayMs),
      maxHosts: Math.min(one.maxHosts, other.maxHosts),
      maxReqs: Math.min(one.maxReqs, other.maxReqs),
      generalPauseMs: Math.max(one.generalPauseMs, other.generalPauseMs),
    }),
    first,
  );
}

/** Maximum duration of a batch, so that a harvester that died never holds an address for long. */
export const longestBatchMs = 10 * 60_000;

/** The delay that a Crawl-delay in seconds asks for; at most an hour. */
export const crawlDelayMs = (seconds = 0) => Math.min(seconds, 3_600) * 1000;
