import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PismakError } from '../../engine/errors.ts';
import type { Settings } from '../../engine/settings/settings.ts';

/** Operations that check a password or a token: guessing must be slow, whoever asks. */
const guessable = new Set(['session.login', 'setup.claim', 'user.password']);
const guessesPerMinute = 10;

export async function limitRates(
  app: FastifyInstance,
  { requestsPerMinute }: Settings['http'],
): Promise<void> {
  await app.register(rateLimit, {
    max: requestsPerMinute,
    timeWindow: 60_000,
    keyGenerator: (request) => limitedAs(request),
    // The command line of this machine is not held up: it could do the same to the files.
    allowList: (request) => isLocal(request),
    errorResponseBuilder: (_request, { ttl }) =>
      new PismakError('too-many-requests', `too many requests; try again in ${Math.ceil(ttl / 1000)} s`),
  });
}

/** The lower limit of operations that could be used for guessing: per address, and not even sign-in lifts it. */
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
  return request.caller?.credential ?? rateLimit.normalizeIP(request.ip);
}
