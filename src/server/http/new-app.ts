import Fastify, { type FastifyInstance } from 'fastify';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Caller } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { sendError } from './error-replies.ts';
import { limitPipelinedRequests } from './pipelined-requests.ts';
import { asRefusal, refuseConnection } from './refuse-connection.ts';
import type { IsProxy } from './trusted-proxies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The user or key that sent the request; undefined if it is anonymous. */
    caller: Caller | undefined;
  }
}

/** More headers than any client sends. Above its own limit Node drops headers silently. */
const mostHeaders = 100;

/** Fastify with our limits. Our error format also covers failures before a route is found. */
export function newApp(engine: Engine, isProxy: IsProxy): FastifyInstance {
  const app = Fastify({
    logger: false,
    // Trust the nearest proxy only: the client may have written the entries further left in X-Forwarded-For.
    trustProxy: (address, hop) => hop === 0 && isProxy(address),
    // A client that takes longer than this to send a request wastes a connection; so do slower headers.
    requestTimeout: 600_000,
    http: { headersTimeout: 20_000, connectionsCheckingInterval: 5000, maxHeaderSize: 16_384 },
    // Requests that arrive on open connections while the server closes are still answered; health then says 503.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200 },
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => {
      // No hook runs for these, so `closeUnreadBodies` can't deal with a body.
      reply.header('connection', 'close');
      sendError(error, request, reply, engine);
    },
    clientErrorHandler: (error, socket) => refuseConnection(socket, asRefusal(error)),
  });
  app.server.maxHeadersCount = 0;
  limitPipelinedRequests(app);
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.rawHeaders.length <= 2 * mostHeaders) done();
    else done(new PismakError('invalid-input', `the request has more than ${mostHeaders} headers`));
  });
  app.decorateRequest('caller', undefined);
  return app;
}
