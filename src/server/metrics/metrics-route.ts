import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import { authorise } from '../../engine/operation/authorise.ts';
import { localCaller } from '../access/authenticate.ts';
import { isLoopback } from '../http/loopback.ts';
import { engineMetrics } from './engine-metrics.ts';
import type { ProcessMetrics } from './process-metrics.ts';
import { prometheusText, prometheusType } from './prometheus.ts';

export const metricsRoute = { name: 'metrics.read', role: 'reader', path: '/metrics' } as const;

/**
 * `GET /metrics` for Prometheus. Names of queues and stages reveal what an organisation does, so it needs the reader role
 * (a key with the scope `metrics.` is enough), unless only this machine can reach the server: see `openToAll`.
 */
export function addMetricsRoute(app: FastifyInstance, engine: Engine, process: ProcessMetrics): void {
  app.get(metricsRoute.path, async (request, reply) => {
    const caller = openToAll(request, engine)
      ? localCaller(request.ip)
      : authorise(metricsRoute, request.caller, request.ip);
    const metrics = [...(await engineMetrics(engine, caller)), ...process.read()];
    return reply.type(prometheusType).send(prometheusText(metrics));
  });
}

/**
 * True if the server listens on loopback only, the request shows no sign of a proxy, and it names a loopback host. The
 * last check stops a web page whose own host name was made to point to this machine.
 */
function openToAll(request: FastifyRequest, { settings: { http } }: Engine): boolean {
  const proxied =
    http.publicUrl !== undefined || http.trustProxy || request.headers['x-forwarded-for'] !== undefined;
  return (
    isLoopback(http.host) &&
    !proxied &&
    isLoopback(request.hostname) &&
    isLoopback(request.socket.remoteAddress)
  );
}
