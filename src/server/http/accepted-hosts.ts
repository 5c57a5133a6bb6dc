import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { FastifyInstance } from 'fastify';
import type { Engine } from '../../engine/composition/engine.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { shorten } from '../../engine/ground/shorten.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import type { IsProxy } from './trusted-proxies.ts';

/** Load balancers check it under names of their own, and it reveals nothing. */
const healthPath = '/api/v1/health';

/**
 * Refuses requests that name another host. A page on another site can make its own name point to this server (DNS rebinding):
 * the browser then takes us for that site, and lets the page read our answers.
 */
export function acceptHosts(
  app: FastifyInstance,
  { settings: { http } }: Pick<Engine, 'settings'>,
  isProxy: IsProxy,
): void {
  const names = acceptedNames(http);
  app.addHook('onRequest', ({ raw, headers, socket, routeOptions }, _reply, done) => {
    const forwarded = isProxy(socket.remoteAddress) ? headers['x-forwarded-host'] : undefined;
    const given = [
      // Node keeps only the first Host header; proxies before us may have read another.
      ...rawValues(raw.rawHeaders, 'host'),
      ...(/^\w+:\/\/([^/?#]*)/.exec(raw.url ?? '')?.slice(1) ?? []),
      ...[forwarded ?? []].flat().flatMap((text) => text.split(',')),
    ];
    const strange = given.find((authority) => !isAccepted(authority, names));
    if (strange === undefined || routeOptions.url === healthPath) done();
    else done(notOurs(strange));
  });
}

/** IP addresses are always accepted: no name was looked up. */
function isAccepted(authority: string, names: ReadonlySet<string>): boolean {
  // HTTP/1.0 has no Host header, and clients without a name send an empty one.
  const text = authority.trim();
  if (text === '') return true;
  const name = hostOf(text);
  return name !== undefined && (isIP(name) !== 0 || names.has(name));
}

/** The host of `host:port`, in lower case, without brackets and the dot that ends an absolute name. */
export function hostOf(authority: string): string | undefined {
  const match = /^(?:\[([\da-f:.%\w]{2,80})\]|([^\s:@[\]/\\]{1,255}))(?::\d{0,5})?$/i.exec(authority);
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '');
}

function acceptedNames({ host, hosts, publicUrl }: Settings['http']): ReadonlySet<string> {
  const machine = hostname();
  const all = [
    'localhost',
    machine,
    machine.split('.')[0] ?? '',
    host,
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).host]),
    ...hosts,
  ];
  return new Set(all.flatMap((name) => hostOf(name) ?? []));
}

function notOurs(authority: string): PismakError {
  const name = shorten(hostOf(authority.trim()) ?? authority, 100);
  return new PismakError(
    'forbidden',
    `this server does not answer to the name ${JSON.stringify(name)}; if it is a name of this server, add it to the setting http.hosts`,
  );
}

function rawValues(rawHeaders: readonly string[], wanted: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === wanted.length && rawHeaders[at]?.toLowerCase() === wanted)
      values.push(rawHeaders[at + 1] ?? '');
  return values;
}
