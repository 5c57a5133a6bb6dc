import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Requests whose client waits for `100 Continue` before it sends the body. Keyed weakly by the request: Node hands out the
 * response only here, before Fastify has a request of its own that could hold it.
 */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Node's default asks for every body at once. We ask only when the body is needed, so a refused one is never sent. */
export function inviteBodiesLate(app: FastifyInstance): void {
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    app.server.emit('request', request, response);
  });
}

/** Asks a client that waits for `100 Continue` to send the body. */
export function askForBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}
