import { rulesOf } from '../crawl/options.ts';
import type { Queries } from '../database/tables.ts';
import { forgivenAfterMs } from '../politeness/slow-down.ts';
import type { BatchesUnderWay } from './batches-under-way.ts';
import { delayOf } from './domains.ts';
import type { KeeperState } from './keeper-state.ts';
import { MetCrawls } from './met-crawls.ts';

/**
 * A batch is over: resolves to when each of its addresses may be contacted again. The delay between two requests to a host also holds
 * from one batch to the next. A host with a long delay waits alone: other hosts on its address need not wait for it.
 */
export async function restAfter(
  { domains, options, crawl }: KeeperState,
  transaction: Queries,
  { batches, batch, now }: { batches: BatchesUnderWay; batch: string; now: number },
): Promise<(address: string) => number> {
  const rules = rulesOf(options);
  const { domains: ids, addresses } = batches.heldBy(batch);
  const met = await MetCrawls.on(transaction, addresses, { crawl: crawl.number, rules });
  /** Where the whole address waits: for the sake of other crawls, or because the host is blocked anyway. */
  const longest = new Map<string, number>();
  for (const id of addresses.length > 0 ? new Set(ids) : []) {
    const domain = domains.get(id);
    const delayMs = delayOf(domain, met.rulesFor(domain.addresses));
    if (delayMs <= rules.generalPauseMs) continue;
    const isMet = domain.addresses.some((address) => met.meetsAt(address));
    // The same host with and without TLS.
    const origins = new Set([domain.origin, `http://${domain.host}`, `https://${domain.host}`]);
    const same = [...origins].flatMap((origin) => domains.find(origin) ?? []);
    if (isMet || same.some((each) => each.blockLevel > 0 && now <= each.blockedUntil + forgivenAfterMs))
      for (const address of domain.addresses)
        longest.set(address, Math.max(delayMs, longest.get(address) ?? 0));
    else for (const each of same) domains.change(each, { blockLevel: 0, blockedUntil: now + delayMs });
  }
  return (address) => {
    const { generalPauseMs, reqDelayMs } = met.at(address);
    const until = now + Math.max(generalPauseMs, reqDelayMs, longest.get(address) ?? 0);
    batches.rest(address, until);
    return until;
  };
}
