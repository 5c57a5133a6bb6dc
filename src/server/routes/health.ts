import type { FastifyInstance } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import { checkStores, healthOf } from '../../engine/servers/check-stores.ts';
import { version } from '../../engine/version.ts';

/** Which part of its life the process is in. Only while `up` and with every store answering is it healthy. */
export type LifeState = 'starting' | 'up' | 'stopping';

const keptMs = 1000;

/** `GET /api/v1/health`: public, 200 when work can be done and 503 otherwise; says which part is at fault, not why. */
export function addHealthRoute(app: FastifyInstance, engine: Engine, state: () => LifeState): void {
  let latest: { at: number; check: ReturnType<typeof checkStores> } | undefined;

  // Anybody may ask, so a crowd of askers shares one check.
  function check(): ReturnType<typeof checkStores> {
    const now = engine.clock.now();
    if (!latest || now - latest.at >= keptMs || now < latest.at)
      latest = { at: now, check: checkStores(engine) };
    return latest.check;
  }

  app.get('/api/v1/health', async (_request, reply) => {
    const life = state();
    if (life !== 'up') return reply.code(503).send({ status: life, version });
    const { status, parts } = healthOf(await check());
    return reply.code(status === 'ok' ? 200 : 503).send({ status, version, parts });
  });
}
