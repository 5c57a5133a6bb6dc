import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Requests whose client waits for `100 Continue` before it sends the body. Keyed by the request, and gone with it: Node hands out the
 * response only here, before Fastify has a request of its own that could hold it.
 */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** By default Node invites every body at once. Here a body is invited when it is wanted: a refused one is never sent. */
export function inviteBodiesLate(app: FastifyInstance): void {
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    app.server.emit('request', request, response);
  });
}

/** Tells a client that waits for it to send the body. */
export function askForBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}
