import { isIPv4, isIPv6 } from 'node:net';

/** Whether an address or host name can only be reached from this machine. */
export function isLoopback(host: string | undefined): boolean {
  if (host === undefined) return false;
  const bare = host.replace(/^\[(.*)\]$/, '$1').replace(/^::ffff:/i, '');
  if (isIPv4(bare)) return bare.startsWith('127.');
  return isIPv6(bare) ? bare === '::1' : bare.toLowerCase() === 'localhost';
}
