import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { messageOf } from '../errors.ts';
import { PermanentFailure } from '../processor/processor.ts';

/** Resolves a name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

/**
 * Whether an address is one of the public internet: not this machine, not a private, link-local, carrier, multicast or
 * reserved network, and none of the kinds that carry such an address inside.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  // Of IPv6 only this block is given out; elsewhere lie old notations for IPv4, such as ::7f00:1.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3'));
}

/** Refuses what can be told from the URL alone. */
export function checkUrl(text: string, allowPrivate: boolean): URL {
  const url = URL.parse(text);
  if (!url) throw new PermanentFailure('the address of the webhook is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new PermanentFailure(`webhooks go to http and https addresses, not to ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new PermanentFailure('the address of a webhook must not contain a user name or password');
  }
  const host = hostOf(url);
  // A literal address is connected to without a look-up, so it is checked here.
  if (!allowPrivate && ipaddr.isValid(host) && !isPublic(host)) throw notPublic(host, host);
  return url;
}

/**
 * The look-up that the connection itself uses: every address that the name has must be public, and what is connected to
 * is one of those just checked. A name that answers differently the second time gains nothing: nobody asks twice.
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
  return new PermanentFailure(`${which} is not a public address; webhook.allowPrivate would allow it`);
}
