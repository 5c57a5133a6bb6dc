import type { FastifyRequest } from 'fastify';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Caller } from '../../engine/ground/caller.ts';
import { isLoopback } from '../http/loopback.ts';
import { showsProxy } from '../http/trusted-proxies.ts';
import { callerOfKey, keyPrefix } from './keys.ts';
import { checkSameOrigin } from './same-origin.ts';
import { hashToken, tokenMatches } from './secret-token.ts';
import { callerOfSession } from './sessions.ts';

/** Finds the caller of a request; undefined if it is anonymous. Call it again to check whether access continues. */
export type Authenticate = (request: FastifyRequest) => Promise<Caller | undefined>;

export function createAuthenticate(parts: {
  engine: Engine;
  localToken: string;
  cookieName: string;
}): Authenticate {
  const { engine, cookieName } = parts;
  const localHash = hashToken(parts.localToken);

  async function byHeader(request: FastifyRequest, header: string): Promise<Caller | undefined> {
    const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
    if (token === undefined) return undefined;
    if (token.startsWith(keyPrefix)) return callerOfKey(engine, token, request.ip);
    if (isFromThisMachine(request) && tokenMatches(token, localHash)) {
      return localCaller(request.ip);
    }
    return undefined;
  }

  return async (request) => {
    // A header is more explicit than a cookie, and no other site can make a browser send it.
    const header = request.headers.authorization;
    if (header !== undefined) return byHeader(request, header);
    const cookie = request.cookies[cookieName];
    if (cookie === undefined) return undefined;
    const caller = await callerOfSession(engine, hashToken(cookie), request.ip);
    if (caller) checkSameOrigin(request, engine.settings.http.publicUrl);
    return caller;
  };
}

/** The command line of this machine may do everything, because it could change the files directly. */
export function localCaller(address: string): Caller {
  return { name: 'local', role: 'admin', address };
}

/**
 * True only if the connection comes from this machine and not through a proxy on it. The command line never uses a
 * proxy, and a leaked token must not work from elsewhere.
 */
function isFromThisMachine(request: FastifyRequest): boolean {
  const { remoteAddress, localAddress } = request.socket;
  return (isLoopback(remoteAddress) || remoteAddress === localAddress) && !showsProxy(request);
}
