import type { FastifyInstance } from 'fastify';
import type { Engine } from '../../engine/composition/engine.ts';
import { version } from '../../engine/ground/version.ts';
import { checkStores, type Health, healthOf } from '../../engine/health/check-stores.ts';
import { retryAfterSeconds } from '../http/error-replies.ts';

/** The phase of the process. It is healthy only while it is `up` and every store answers. */
export type LifeState = 'starting' | 'up' | 'stopping';

/** The public state of the process. The parts are checked only while it is up. */
export type ProcessHealth = Health | { status: Exclude<LifeState, 'up'>; parts?: never };

const keptMs = 1000;

/** Health is public, so many callers share one check. */
export function healthReader(engine: Engine, state: () => LifeState): () => Promise<ProcessHealth> {
  let latest: { at: number; check: ReturnType<typeof checkStores> } | undefined;
  return async () => {
    const life = state();
    if (life !== 'up') return { status: life };
    const now = engine.clock.now();
    if (!latest || now - latest.at >= keptMs || now < latest.at)
      latest = { at: now, check: checkStores(engine) };
    return healthOf(await latest.check);
  };
}

/** `GET /api/v1/health`: public, 200 if everything works and 503 otherwise. Says which part is down, but not why. */
export function addHealthRoute(app: FastifyInstance, readHealth: () => Promise<ProcessHealth>): void {
  app.get('/api/v1/health', async (_request, reply) => {
    const { status, parts } = await readHealth();
    if (status !== 'ok') reply.header('retry-after', retryAfterSeconds);
    return reply.code(status === 'ok' ? 200 : 503).send({ status, version, ...(parts && { parts }) });
  });
}
