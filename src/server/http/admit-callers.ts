import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Engine } from '../../engine/composition/engine.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { authorise } from '../../engine/operation/authorise.ts';
import { auditCall } from '../../engine/operation/execute-operation.ts';
import type { Operation } from '../../engine/operation/operation.ts';
import { type BodyLimit, checkAnnouncedSize } from './body-limit.ts';

/** Who may call a route: what `authorise` needs, and whether a refusal is audited. */
export type RouteAccess = Pick<Operation, 'name' | 'formerNames' | 'role'> &
  Partial<Pick<Operation, 'changes' | 'audited'>>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Routes that take a body must have both. */
    access?: RouteAccess;
    bodyLimit?: BodyLimit;
  }
}

const bodiless = new Set(['GET', 'HEAD']);

/**
 * Refuses callers by the headers alone, before a byte of the body is read or requested. `limitRates` has run before, and
 * counts addresses that don't exist too.
 */
export function admitCallers(app: FastifyInstance, engine: Engine): void {
  const limitRate = app.rateLimit();

  app.addHook('onRoute', ({ method, url, config }) => {
    if ([method].flat().every((one) => bodiless.has(one)) || (config?.access && config.bodyLimit)) return;
    throw new Error(`${method} ${url} takes a body, so it must say who may send one and how large it may be`);
  });

  // With a callback: this runs for every request, and a promise would cost more than the checks.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (request.is404) {
      const limited = limitRate.call(app, request, reply) as Promise<void>;
      return void limited.then(() => done(unknownRoute(request)), done);
    }
    const { access, bodyLimit } = request.routeOptions.config;
    try {
      if (access) authorise(access, request.caller, request.ip);
      if (bodyLimit) checkAnnouncedSize(request, bodyLimit);
      else if (hasBody(request)) throw takesNoBody(request);
    } catch (error) {
      return void recordRefusal(engine, access, request, error).then(() => done(error as Error));
    }
    done();
  });
}

export function unknownRoute({ method, url }: FastifyRequest): PismakError {
  const path = url.split('?')[0]?.slice(0, 200);
  return new PismakError('not-found', `there is no ${method} ${path}; /docs lists all operations`);
}

/** Audits like `executeOperation`, but without the input, which was not read. */
async function recordRefusal(
  engine: Engine,
  access: RouteAccess | undefined,
  { caller, ip }: FastifyRequest,
  error: unknown,
): Promise<void> {
  if (!caller || !access || !(error instanceof PismakError)) return;
  const unread = { rawInput: null, foreignOwner: undefined };
  await auditCall(engine, { operation: access, caller, address: ip, outcome: error.code, ...unread });
}

function takesNoBody({ method }: FastifyRequest): PismakError {
  return new PismakError('invalid-input', `${method} takes no body; send the input in the query`);
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
