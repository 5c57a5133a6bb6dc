import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Engine } from '../../engine/composition/engine.ts';
import { type ErrorCode, PismakError } from '../../engine/ground/errors.ts';
import { longestMessage, shorten, shortenValues } from '../../engine/ground/shorten.ts';
import { presentable } from '../../engine/operation/execute-operation.ts';
import { unknownRoute } from './admit-callers.ts';

/** The body of every error answer. Both parts may repeat input, so both are cut. */
export function errorBody(error: PismakError): {
  error: { code: ErrorCode; message: string; sentence?: unknown; details?: unknown };
} {
  const { code, message } = error;
  const sentence = error.sentence && shortenValues({ ...error.sentence }, { text: 200, entries: 20 });
  const details = shortenValues(error.details, { text: 200, entries: 20 });
  const isSmall = details !== undefined && JSON.stringify(details).length <= 4 * longestMessage;
  return {
    error: {
      code,
      message: shorten(message),
      ...(sentence !== undefined && { sentence }),
      ...(isSmall && { details }),
    },
  };
}

/** When to retry a request that can't be served now. */
export const retryAfterSeconds = 5;

/** Every error answer has a code, and reveals no more than the caller may know. */
export function answerErrors(app: FastifyInstance, engine: Engine): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, engine));
  // `admitCallers` has refused unknown addresses by then, before their bodies were read.
  app.setNotFoundHandler((request, reply) => sendError(unknownRoute(request), request, reply, engine));
}

export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  engine: Engine,
): FastifyReply {
  const shown = presentable(
    fromFramework(error) ?? error,
    engine,
    `${request.method} ${request.routeOptions.url}`,
  );
  if (shown.status === 401) reply.header('www-authenticate', 'Bearer');
  const wait = shown.details?.retryAfterSeconds;
  if (typeof wait === 'number') reply.header('retry-after', wait);
  if (shown.status === 503 && !reply.hasHeader('retry-after')) reply.header('retry-after', retryAfterSeconds);
  return reply.code(shown.status).type('application/json').send(errorBody(shown));
}

/** Fastify's own refusals (body too large, not JSON, bad URL...) in our codes. */
function fromFramework(error: unknown): PismakError | undefined {
  if (!(error instanceof Error) || error instanceof PismakError) return undefined;
  const { code, statusCode } = error as Error & { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new PismakError('invalid-input', 'send the body as JSON, with `content-type: application/json`');
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new PismakError('invalid-input', `the request could not be read: ${error.message}`, {
      cause: error,
    });
  }
  return undefined;
}
