import type { FastifyInstance } from 'fastify';
import type { Engine } from '../../engine/composition/engine.ts';

/** Logs a line per request: caller, route and status. Never the URL or the body: they may hold secrets. */
export function logRequests(app: FastifyInstance, { log }: Pick<Engine, 'log'>): void {
  app.addHook('onResponse', async (request, reply) => {
    log[reply.statusCode >= 500 ? 'warn' : 'debug'](
      {
        method: request.method,
        route: request.routeOptions.url ?? '(unknown)',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        caller: request.caller?.name,
        address: request.ip,
      },
      'request answered',
    );
  });
}
