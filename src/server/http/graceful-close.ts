import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { type Clock, sleep } from '../../engine/time/clock.ts';

/** How long the server waits for unfinished answers when it closes, before it cuts their connections. */
const patienceMs = 10_000;

/**
 * Returns a function that stops listening, lets running requests finish, and closes. Node alone would also wait for
 * unused connections, which browsers open in advance.
 */
export function gracefulClose(app: FastifyInstance, clock: Clock): () => Promise<void> {
  const underWay = new Set<ServerResponse>();
  let answered = () => {};
  app.server.on('request', (_request, response: ServerResponse) => {
    underWay.add(response);
    response.once('close', () => {
      underWay.delete(response);
      if (underWay.size === 0) answered();
    });
  });
  return async () => {
    const closed = app.close();
    const done = new AbortController();
    answered = () => done.abort();
    if (underWay.size > 0) await sleep(clock, patienceMs, done.signal);
    app.server.closeAllConnections();
    await closed;
  };
}
