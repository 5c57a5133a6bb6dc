import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PismakError } from '../../engine/errors.ts';
import type { Settings } from '../../engine/settings/settings.ts';

/** Checks a token, so guessing must be slow for every caller. Passwords have limits of their own: `sign-in-limits.ts`. */
const guessable = new Set(['setup.claim']);
const guessesPerMinute = 10;

export async function limitRates(
  app: FastifyInstance,
  { requestsPerMinute }: Settings['http'],
): Promise<void> {
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: 60_000,
    keyGenerator: (request) => limitedAs(request),
    // The command line of this machine has no limit: it could change the files directly.
    allowList: (request) => isLocal(request),
    errorResponseBuilder: (_request, { ttl }) =>
      new PismakError('too-many-requests', `too many requests; try again in ${Math.ceil(ttl / 1000)} s`),
  });
}

/** The lower limit for operations that allow guessing. It counts per address, and signing in does not lift it. */
export function operationLimit(operation: string) {
  if (!guessable.has(operation)) return {};
  const byAddress = {
    max: guessesPerMinute,
    keyGenerator: (request: FastifyRequest) => rateLimit.normalizeIP(request.ip),
  };
  return { rateLimit: byAddress };
}

function isLocal(request: FastifyRequest): boolean {
  return request.caller?.name === 'local' && request.caller.credential === undefined;
}

function limitedAs(request: FastifyRequest): string {
  // Per user, not per key: a new key would start afresh.
  return request.caller ? `user ${request.caller.name}` : rateLimit.normalizeIP(request.ip);
}
