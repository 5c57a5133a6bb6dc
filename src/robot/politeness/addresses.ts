import ipaddr from 'ipaddr.js';

/** Whether an address belongs to the public Internet. */
function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  // Public IPv6 addresses are in 2000::/3; ::127.0.0.1 is an old notation for an IPv4 address.
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(ipaddr.IPv6.parse('2000::'), 3)) return false;
  return parsed.range() === 'unicast';
}

const privateRanges = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);

/**
 * Whether an address belongs to a private network: contacted only if the crawl allows it. Addresses that are neither public nor private are
 * never contacted: behind 169.254.169.254, for example, clouds tell a machine its secrets, and any page can link there.
 */
function isPrivateAddress(address: string): boolean {
  return ipaddr.isValid(address) && privateRanges.has(ipaddr.process(address).range());
}

/** One spelling for each address: IPv6 in its short form, IPv4 inside IPv6 as IPv4. */
export function plainAddress(address: string): string | undefined {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : undefined;
}

/**
 * Why a crawl must not contact an address; undefined if it may. Private addresses need `allowPrivate`; public ones need a contact, so that
 * administrators know whom to ask.
 */
export function addressRefusal(
  address: string,
  { allowPrivate, contact }: { allowPrivate: boolean; contact: string },
): string | undefined {
  if (isPublicAddress(address)) return contact === '' ? 'public address without a contact' : undefined;
  if (!isPrivateAddress(address)) return 'reserved address';
  return allowPrivate ? undefined : 'private address';
}
