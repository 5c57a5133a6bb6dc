import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import { PismakError } from '../../engine/errors.ts';
import type { Caller } from '../../engine/operation/operation.ts';
import { errorBody, sendError } from './error-replies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The user or key that sent the request; undefined if it is anonymous. */
    caller: Caller | undefined;
  }
}

/** Fastify with our limits. Our error format also covers failures before a route is found. */
export function newApp(engine: Engine): FastifyInstance {
  const { http } = engine.settings;
  const app = Fastify({
    logger: false,
    bodyLimit: Math.floor(http.bodyLimitMb * 2 ** 20),
    // Trust the nearest proxy only: the client may have written what stands further left in X-Forwarded-For.
    trustProxy: http.trustProxy ? (_address, hop) => hop === 0 : false,
    // A client that takes longer than this to send a request wastes a connection.
    requestTimeout: 600_000,
    // Requests that arrive on open connections while the server closes are still answered; health then says 503.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200 },
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply, engine),
    clientErrorHandler: (_error, socket) => refuseConnection(socket),
  });
  // Accept only JSON: a form on another site could send text without a preflight.
  app.removeContentTypeParser('text/plain');
  app.decorateRequest('caller', undefined);
  return app;
}

function refuseConnection(socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(errorBody(new PismakError('invalid-input', 'this is not valid HTTP')));
  const head = ['HTTP/1.1 400 Bad Request', 'connection: close', 'content-type: application/json'];
  socket.end([...head, `content-length: ${body.length}`, '', body].join('\r\n'));
}
