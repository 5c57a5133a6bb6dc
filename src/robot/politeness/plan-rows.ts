import { longestBatchMs } from './rules.ts';

/** A host with queued requests, as the planner sees it. */
export interface WaitingHost {
  host: string;
  /** All addresses of the host: while it is contacted, none of them may take part in another batch. */
  addresses: readonly string[];
  /** Number of queued requests. */
  queued: number;
  /** The delay for this host: the rule's, or longer if its robots.txt or its answers ask for it. */
  delayMs: number;
  maxHosts: number;
  maxReqs: number;
}

/** Even without a delay several rows run at once, because requests mostly wait for the network. */
const fewestRows = 8;
const mostRows = 64;
/** Maximum number of hosts to look at, so that planning stays cheap when very many wait. */
const mostLooked = 5_000;

/** The number of requests of a host that go into a batch. */
export interface Share {
  host: string;
  count: number;
}

/**
 * Chooses the contents of a batch: a table that is filled by rows and read by columns. A host is in one row only; a row may hold
 * several hosts, one after another. `hosts` come in order of preference. The first one decides how long the batch takes, and only hosts
 * that take about as long are added, so that no address is held much longer than it is needed.
 *
 * - At most `maxReqs` requests per host and at most `maxHosts` hosts per address.
 * - No row lasts longer than a batch may.
 * - As many rows as the delay needs, given the measured time per request.
 */
export function planRows(
  hosts: Iterable<WaitingHost>,
  { meanMs, mostRequests = 20_000 }: { meanMs: number; mostRequests?: number },
): Share[][] {
  const rows: { shares: Share[]; ms: number }[] = [];
  const hostsOf = new Map<string, number>();
  let wanted = 1;
  let targetMs = 0;
  let requests = 0;
  let looked = 0;
  for (const host of hosts) {
    const isFull = rows.length >= wanted && rows.every(({ ms }) => ms > 0.75 * targetMs);
    if (isFull || requests >= mostRequests || ++looked > mostLooked) break;
    if (host.addresses.some((address) => (hostsOf.get(address) ?? 0) >= host.maxHosts)) continue;
    const stepMs = Math.max(host.delayMs, meanMs, 1);
    // At least one request, whatever its delay.
    const fitting = Math.max(1, Math.floor((0.8 * longestBatchMs) / stepMs));
    const count = Math.min(host.queued, host.maxReqs, fitting, mostRequests - requests);
    if (count < 1) continue;
    const ms = count * stepMs;
    if (rows.length === 0) {
      targetMs = ms;
      wanted = Math.min(mostRows, Math.max(fewestRows, Math.ceil(host.delayMs / Math.max(meanMs, 1))));
    } else if (ms > 2 * targetMs) continue;
    const open = rows.find((row) => row.ms + ms <= targetMs);
    if (open) {
      open.shares.push({ host: host.host, count });
      open.ms += ms;
    } else if (rows.length < wanted) rows.push({ shares: [{ host: host.host, count }], ms });
    else continue;
    requests += count;
    for (const address of host.addresses) hostsOf.set(address, (hostsOf.get(address) ?? 0) + 1);
  }
  return spread(
    rows.map(({ shares }) => shares),
    Math.max(1, ...hostsOf.values()),
  );
}

/** After filling, rows of one address are neighbours. Dealing them like cards to several hands spreads them evenly. */
export function spread<Row>(rows: readonly Row[], hands: number): Row[] {
  const dealt = Array.from({ length: hands }, (): Row[] => []);
  for (const [index, row] of rows.entries()) dealt[index % hands]?.push(row);
  return dealt.flat();
}
