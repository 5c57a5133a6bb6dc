import type { FastifyInstance } from 'fastify';
import type { Engine } from '../../engine/composition/engine.ts';
import { authorise } from '../../engine/operation/authorise.ts';
import { localCaller } from '../access/authenticate.ts';
import { engineMetrics } from './engine-metrics.ts';
import type { ProcessMetrics } from './process-metrics.ts';
import { prometheusText, prometheusType } from './prometheus.ts';

export const metricsRoute = { name: 'metrics.read', role: 'reader', path: '/metrics' } as const;

/**
 * `GET /metrics` for Prometheus. Names of queues and stages reveal what an organisation does, so the route needs the reader
 * role (a key with the scope `metrics.` is enough), even from this machine: the request may come through a proxy that adds
 * no header and sends our own address as the host, as nginx does by default. `http.openMetrics` opens the route.
 */
export function addMetricsRoute(app: FastifyInstance, engine: Engine, process: ProcessMetrics): void {
  const { openMetrics } = engine.settings.http;
  app.get(metricsRoute.path, async (request, reply) => {
    const caller = openMetrics
      ? localCaller(request.ip)
      : authorise(metricsRoute, request.caller, request.ip);
    const metrics = [...(await engineMetrics(engine, caller)), ...process.read()];
    return reply.type(prometheusType).send(prometheusText(metrics));
  });
}
