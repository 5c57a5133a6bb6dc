import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { messageOf } from '../ground/errors.ts';
import { PermanentFailure } from '../processor/processor.ts';

/** Resolves a name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

/**
 * Whether an address is on the public internet: not on this machine, not in a private, link-local, carrier, multicast or
 * reserved network, and not of a kind that embeds such an address.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  // Only this block of IPv6 is allocated; elsewhere are old notations for IPv4, such as ::7f00:1.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3'));
}

/** Refuses URLs that are invalid in themselves. */
export function checkUrl(text: string, allowPrivate: boolean): URL {
  const url = URL.parse(text);
  if (!url) throw new PermanentFailure('the address of the webhook is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new PermanentFailure(`a webhook needs an http or https address, not ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new PermanentFailure('the address of a webhook must not contain a user name or password');
  }
  const host = hostOf(url);
  // A literal address needs no look-up, so check it here.
  if (!allowPrivate && ipaddr.isValid(host) && !isPublic(host)) throw notPublic(host, host);
  return url;
}

/**
 * The look-up that the connection itself uses: every address of the name must be public, and the connection goes to one of
 * the addresses just checked. A name that would resolve differently the second time gains nothing: it is looked up only once.
 */
export function guardedLookup(resolve: Resolve, allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const refused = allowPrivate ? undefined : addresses.find(({ address }) => !isPublic(address));
        const [first] = addresses;
        if (refused) callback(notPublic(hostname, refused.address), '');
        else if (!first) callback(new Error(`${hostname} has no address`), '');
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(new Error(`${hostname} has no address: ${messageOf(error)}`), ''),
    );
  };
}

export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function notPublic(host: string, address: string): PermanentFailure {
  const which = host === address ? address : `${host} (${address})`;
  return new PermanentFailure(`${which} is not a public address; set webhook.allowPrivate to allow it`);
}
