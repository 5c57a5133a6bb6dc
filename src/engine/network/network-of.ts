import { isIPv6 } from 'node:net';

/**
 * The addresses that one customer of a provider gets: an IPv4 address, or the 2^64 addresses of an IPv6 network. A customer
 * with one of these addresses can use all of them, so limits count per network.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.replace(/%.*/s, '').toLowerCase().split('::');
  const [first, last] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  const all = [...first, ...Array<string>(zeros).fill('0'), ...last];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

function groups(text: string): string[] {
  // An IPv4 address at the end stands for two groups, which are beyond the network part.
  const found = text === '' ? [] : text.split(':');
  return found.at(-1)?.includes('.') ? [...found.slice(0, -1), '0', '0'] : found;
}
