import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { ScoutPlan } from '../batch/plan.ts';
import type { ScoutResult } from '../batch/report.ts';
import type { CrawlDefinition } from '../crawl/options.ts';
import { addressRefusal, plainAddress } from '../politeness/addresses.ts';

const mostAddresses = 16;
const atOnce = 20;
/** Of several refused addresses, the problem to report: the one that options can change. */
const problems = ['public address without a contact', 'private address', 'reserved address'];

/** Looks up the addresses of domains, and keeps those that the crawl may contact: public ones need a contact, private ones `allowPrivate`. */
export async function scout(
  { domains }: ScoutPlan,
  { allowPrivate, contact, resolve }: Pick<CrawlDefinition, 'allowPrivate' | 'contact' | 'resolve'>,
): Promise<ScoutResult[]> {
  const resolver = new Resolver({ timeout: 5_000, tries: 2 });
  const results: ScoutResult[] = [];
  let next = 0;
  const work = async () => {
    for (let each = domains[next++]; each; each = domains[next++]) {
      const { domain, host } = each;
      const found = await addressesOf(host, resolve, resolver);
      if (!Array.isArray(found)) {
        results.push({ domain, addresses: [], ...found });
        continue;
      }
      const refusalOf = (address: string) => addressRefusal(address, { allowPrivate, contact });
      const addresses = inOrder(found.filter((address) => refusalOf(address) === undefined));
      const refusals = new Set(found.map(refusalOf));
      const problem = problems.find((each) => refusals.has(each)) ?? 'no address';
      results.push({
        domain,
        addresses: addresses.slice(0, mostAddresses),
        ...(addresses.length === 0 && { problem }),
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, domains.length) }, work));
  return results;
}

async function addressesOf(
  host: string,
  known: CrawlDefinition['resolve'],
  resolver: Resolver,
): Promise<string[] | { problem: string; isTemporary: boolean }> {
  if (isIP(host)) return [host];
  const given = known[host];
  if (given) return given;
  if (!host.includes('.'))
    return (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found;
  const codes = answers.map((answer) =>
    answer.status === 'rejected' ? String((answer.reason as { code?: string }).code) : '',
  );
  return { problem: 'no address', isTemporary: mayHaveAddress(codes) };
}

/** Whether the host may have an address after all, given the errors of the lookups for IPv4 and IPv6; a lookup that failed says nothing. */
export function mayHaveAddress(codes: readonly string[]): boolean {
  if (codes.some((code) => code === 'ENOTFOUND' || code === 'EBADNAME')) return false;
  return codes.some((code) => code !== 'ENODATA');
}

/** Sorts addresses the same way in every process, so that all contact the same one; IPv4 first, because not every network has IPv6. */
function inOrder(addresses: readonly string[]): string[] {
  const plain = new Set(addresses.flatMap((address) => plainAddress(address) ?? []));
  return [...plain].sort((a, b) => isIP(a) - isIP(b) || (a < b ? -1 : 1));
}
