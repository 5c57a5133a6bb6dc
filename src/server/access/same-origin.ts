import type { FastifyRequest } from 'fastify';
import { PismakError } from '../../engine/ground/errors.ts';

/** A form on another site can't send these types without a preflight, which we always refuse. */
const safeTypes = /^application\/(json|octet-stream)\b/i;

/**
 * A browser adds the session cookie even to requests that other sites trigger. So a change with the cookie must come
 * from one of our pages, as `Origin` or `Sec-Fetch-Site` proves: a page can forge neither.
 */
export function checkSameOrigin(request: FastifyRequest, publicUrl: string | undefined): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const { origin, 'sec-fetch-site': site, 'content-type': type = '' } = request.headers;
  const ours = publicUrl === undefined ? `${request.protocol}://${request.host}` : new URL(publicUrl).origin;
  const saysOurs =
    (origin === undefined || origin === ours) && (site === undefined || site === 'same-origin');
  if (!saysOurs || (origin === undefined && site === undefined)) {
    throw new PismakError(
      'forbidden',
      'a change made with the session cookie must come from a page of this server; programs use a key instead',
    );
  }
  if (!safeTypes.test(type)) {
    throw new PismakError('forbidden', 'send changes made with the session cookie as `application/json`');
  }
}
