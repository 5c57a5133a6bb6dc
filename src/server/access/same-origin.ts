import type { FastifyRequest } from 'fastify';
import { PismakError } from '../../engine/errors.ts';

/** A form on another site cannot send these types unless the browser asks us first, and we always refuse. */
const safeTypes = /^application\/(json|octet-stream)\b/i;

/**
 * A browser adds the session cookie to every request, also to those that other sites make it send. So a change with the
 * cookie must come from a page of ours: `Origin` or `Sec-Fetch-Site` says so, and a page can forge neither.
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
