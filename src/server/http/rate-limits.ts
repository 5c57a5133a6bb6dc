import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PismakError } from '../../engine/ground/errors.ts';
import { sayRefusal } from '../../engine/ground/refusals.ts';
import type { Settings } from '../../engine/settings/settings.ts';

/** These operations check a token, so guessing must be slow for every caller. `sign-in-limits.ts` limits password guesses. */
const guessable = new Set(['setup.claim', 'user.recover']);
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
      new PismakError(
        'too-many-requests',
        sayRefusal('refused.calls-later', { seconds: Math.ceil(ttl / 1000) }),
      ),
  });
}

/** The lower limit for operations that allow guessing. Applies per address, even to signed-in callers. */
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
  // Count per user, not per key: a new key would reset the limit.
  return request.caller ? `user ${request.caller.name}` : rateLimit.normalizeIP(request.ip);
}
