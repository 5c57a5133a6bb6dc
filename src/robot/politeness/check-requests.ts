import { longestBatchMs, type Rules, strictest } from './rules.ts';

/** A request as a log or a server recorded it. */
export interface SeenRequest {
  /** When it began, in milliseconds since the epoch. */
  at: number;
  /** How long it lasted. */
  ms: number;
  address: string;
  host: string;
  url: string;
  /** The delay that held for this host, if longer than the rule's. */
  delayMs?: number;
  /** The rules of its crawl, unless one set of rules holds for all. Requests of one crawl share the object. */
  rules?: Rules;
  /** Its batch; only a log knows it. */
  batch?: string;
}

/** A broken rule, in words. */
export interface Violation {
  rule: 'req-delay' | 'max-hosts' | 'max-reqs' | 'general-pause';
  at: number;
  message: string;
}

/**
 * Replays requests and returns every violation of the rules, the earliest first. Requests to an address without a general pause
 * between them are one visit: it has at most `maxReqs` requests per host and at most `maxHosts` hosts, and lasts no longer than a
 * batch. A longer visit means that a general pause was left out; where batches are known, so do two batches without a pause between them.
 */
export function checkRequests(requests: Iterable<SeenRequest>, rules?: Rules): Violation[] {
  const violations: Violation[] = [];
  const byAddress = Map.groupBy(requests, (request) => request.address);
  for (const [address, all] of byAddress) {
    all.sort((a, b) => a.at - b.at || a.ms - b.ms);
    checkAddress(address, all, rules ? () => rules : rulesMeeting(all), violations);
  }
  return violations.sort((a, b) => a.at - b.at);
}

/**
 * The rules that hold at each moment: crawls that meet on an address keep to the stricter ones; crawls at different times don't meet. A
 * crawl that stays away for longer than its turns take was paused, or had nothing to do there. Moments must be asked for in ascending order.
 */
function rulesMeeting(requests: readonly SeenRequest[]): (at: number) => Rules {
  const visits = new Map<Rules, { from: number; to: number }[]>();
  for (const { at, ms, rules } of requests) {
    if (!rules) throw new RangeError('a request has no rules');
    const known = visits.get(rules) ?? [];
    visits.set(rules, known);
    const last = known.at(-1);
    if (last && at <= last.to + longestBatchMs + rules.generalPauseMs) last.to = Math.max(last.to, at + ms);
    else known.push({ from: at, to: at + ms });
  }
  return (at) => {
    const present: Rules[] = [];
    for (const [rules, known] of visits) {
      while (known[0] && known[0].to < at) known.shift();
      if (known[0] && known[0].from <= at) present.push(rules);
    }
    return strictest(present);
  };
}

function checkAddress(
  address: string,
  requests: readonly SeenRequest[],
  rulesAt: (at: number) => Rules,
  violations: Violation[],
): void {
  const lastEnd = new Map<string, SeenRequest>();
  let visit = { from: 0, hosts: new Map<string, number>() };
  let quietSince = Number.NEGATIVE_INFINITY;
  let underWay: number[] = [];
  let lastBatch: string | undefined;
  for (const request of requests) {
    const { at, host, url, batch } = request;
    const rules = rulesAt(at);
    const rested = at - quietSince >= rules.generalPauseMs;
    const isNextBatch = batch !== undefined && batch !== lastBatch;
    // Without pauses, batches still are.
    if (rules.generalPauseMs > 0 ? rested : isNextBatch) visit = { from: at, hosts: new Map() };
    if (visit.from === 0) visit.from = at;
    const before = lastEnd.get(host);
    const delayMs = Math.max(rules.reqDelayMs, request.delayMs ?? 0);
    const gapMs = before ? at - (before.at + before.ms) : Number.POSITIVE_INFINITY;
    if (before && delayMs > 0 && gapMs < delayMs)
      violations.push({
        rule: 'req-delay',
        at,
        message: `${url} was requested ${distance(gapMs, before.url)}; ${host} is due ${delayMs} ms`,
      });
    if (!before || at + request.ms > before.at + before.ms) lastEnd.set(host, request);
    if (isNextBatch && lastBatch !== undefined && !rested)
      violations.push({
        rule: 'general-pause',
        at,
        message: `${url} of batch ${batch} was requested ${distance(at - quietSince, `batch ${lastBatch}`)}; ${address} is due ${rules.generalPauseMs} ms`,
      });
    lastBatch = batch;
    const count = (visit.hosts.get(host) ?? 0) + 1;
    visit.hosts.set(host, count);
    if (rules.generalPauseMs > 0 || batch !== undefined) {
      if (count === rules.maxReqs + 1)
        violations.push({
          rule: 'max-reqs',
          at,
          message: `${url} is request ${count} to ${host} without a pause of ${rules.generalPauseMs} ms on ${address}; the limit is ${rules.maxReqs}`,
        });
      if (count === 1 && visit.hosts.size === rules.maxHosts + 1)
        violations.push({
          rule: 'max-hosts',
          at,
          message: `${url} contacts host ${visit.hosts.size} on ${address} without a pause; the limit is ${rules.maxHosts}`,
        });
      if (at - visit.from > longestBatchMs)
        violations.push({
          rule: 'general-pause',
          at,
          message: `${url}: ${address} has had no pause of ${rules.generalPauseMs} ms for ${at - visit.from} ms`,
        });
    }
    underWay = underWay.filter((end) => end > at);
    underWay.push(at + request.ms);
    if (underWay.length > rules.maxHosts)
      violations.push({
        rule: 'max-hosts',
        at,
        message: `${url} is one of ${underWay.length} requests at once on ${address}; the limit is ${rules.maxHosts}`,
      });
    quietSince = Math.max(quietSince, at + request.ms);
  }
}

function distance(ms: number, from: string): string {
  return ms < 0 ? `while ${from} was under way` : `${ms} ms after ${from} had ended`;
}
