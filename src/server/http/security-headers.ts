import type { FastifyInstance } from 'fastify';
import type { Settings } from '../../engine/settings/settings.ts';

/** For every answer except our pages: browsers must not run or load anything from it. */
export const strictestPolicy =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function addSecurityHeaders(app: FastifyInstance, { publicUrl }: Settings['http']): void {
  const headers: Record<string, string> = {
    'content-security-policy': strictestPolicy,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(publicUrl?.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
}
