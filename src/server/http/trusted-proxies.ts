import { BlockList, isIP, isIPv4 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Settings } from '../../engine/settings/settings.ts';

/** Whether an address belongs to a proxy whose X-Forwarded-* headers we believe. */
export type IsProxy = (address: string | undefined) => boolean;

export function trustedProxies({
  trustProxy,
  proxyAddresses,
}: Pick<Settings['http'], 'trustProxy' | 'proxyAddresses'>): IsProxy {
  if (!trustProxy) return () => false;
  const list = new BlockList();
  for (const entry of proxyAddresses) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const bare = address?.replace(/%.*/s, '') ?? '';
    return isIP(bare) !== 0 && list.check(bare, isIPv4(bare) ? 'ipv4' : 'ipv6');
  };
}

/** Headers that only a proxy adds. Without them a request may still have come through one. */
const signs = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];

export function showsProxy({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return signs.some((name) => headers[name] !== undefined);
}

/** Warns the operator once if an unlisted proxy forwards requests: its users would share one limit. */
export function warnOfUnknownProxies(
  app: FastifyInstance,
  { log, settings: { http } }: Pick<Engine, 'log' | 'settings'>,
  isProxy: IsProxy,
): void {
  if (!http.trustProxy) return;
  let told = false;
  app.addHook('onRequest', async ({ headers, socket: { remoteAddress } }) => {
    if (told || headers['x-forwarded-for'] === undefined || isProxy(remoteAddress)) return;
    told = true;
    log.warn(
      { address: remoteAddress },
      'X-Forwarded-For from this address is ignored; if it is your proxy, add it to http.proxyAddresses',
    );
  });
}
