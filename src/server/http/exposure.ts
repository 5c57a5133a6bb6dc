import type { Settings } from '../../engine/settings/settings.ts';
import { isLoopback } from './loopback.ts';

/** A setting that lets others eavesdrop or impersonate a user, with the remedy. */
export interface Exposure {
  found: string;
  advice: string;
}

/** Reported at the start and by `pismak doctor`. None is an error: a network may be private, a proxy may be elsewhere. */
export function findExposures({ host, publicUrl, trustProxy }: Settings['http']): Exposure[] {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  const encrypted = url?.protocol === 'https:';
  const exposures: Exposure[] = [];
  if (!isLoopback(host) && !encrypted) {
    exposures.push({
      found: `other machines can reach ${host} over plain HTTP: passwords and keys cross the network unencrypted`,
      advice:
        'set http.host to 127.0.0.1, put a proxy with TLS in front of it, and set http.publicUrl to its https address',
    });
  } else if (url && !encrypted && !isLoopback(url.hostname)) {
    exposures.push({
      found: `http.publicUrl is ${url.origin}: passwords and keys of users cross the network unencrypted`,
      advice: 'enable TLS in the proxy, and set http.publicUrl to its https address',
    });
  }
  if (encrypted && isLoopback(host) && !trustProxy) {
    exposures.push({
      found:
        'there is a proxy (http.publicUrl), but its X-Forwarded-For is not trusted: all users share one limit',
      advice: 'set http.trustProxy, and http.proxyAddresses if the proxy is on another machine',
    });
  }
  return exposures;
}
