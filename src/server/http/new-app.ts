import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import { PismakError } from '../../engine/errors.ts';
import type { Caller } from '../../engine/operation/operation.ts';
import { errorBody, sendError } from './error-replies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent it; undefined for nobody. */
    caller: Caller | undefined;
  }
}

/** Fastify with our limits, and with our errors also for what fails before any route is found. */
export function newApp(engine: Engine): FastifyInstance {
  const { http } = engine.settings;
  const app = Fastify({
    logger: false,
    bodyLimit: Math.floor(http.bodyLimitMb * 2 ** 20),
    // The nearest proxy only: what stands further left in X-Forwarded-For was written by the client.
    trustProxy: http.trustProxy ? (_address, hop) => hop === 0 : false,
    // Whoever takes longer than this to send a request holds a connection for nothing.
    requestTimeout: 600_000,
    // What arrives on an open connection while we close is still answered; health then says 503.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200 },
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply, engine),
    clientErrorHandler: (_error, socket) => refuseConnection(socket),
  });
  // JSON is all we read; a form of another site could send text without asking.
  app.removeContentTypeParser('text/plain');
  app.decorateRequest('caller', undefined);
  return app;
}

function refuseConnection(socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(
    errorBody(new PismakError('invalid-input', 'this is not HTTP that can be read')),
  );
  const head = ['HTTP/1.1 400 Bad Request', 'connection: close', 'content-type: application/json'];
  socket.end([...head, `content-length: ${body.length}`, '', body].join('\r\n'));
}
