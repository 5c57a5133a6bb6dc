import type { FastifyInstance, RouteOptions } from 'fastify';
import { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import { executeOperation } from '../../engine/operation/execute-operation.ts';
import { namesOf, type Operation } from '../../engine/operation/operation.ts';
import type { SessionCookie } from '../access/session-cookie.ts';
import { operationBodyLimit } from '../http/body-limit.ts';
import type { CallerSignals } from '../http/caller-signals.ts';
import { operationLimit } from '../http/rate-limits.ts';
import { inputFromQuery, type JsonSchema, type Query } from './query-input.ts';

/** `stage.create` -> `/api/v1/stage/create`. */
export function routeOf(operation: Pick<Operation, 'name'>): string {
  return `/api/v1/${operation.name.replace('.', '/')}`;
}

export function inputSchema(operation: Pick<Operation, 'input'>): JsonSchema {
  return jsonSchema(operation.input, 'input');
}

export function outputSchema(operation: Operation): JsonSchema {
  return jsonSchema(operation.output, 'output');
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  // Constraints that JSON Schema can't express become `any`; Zod still checks them.
  const { $schema: _, '~standard': __, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest as JsonSchema;
}

/** One route per operation, and one for each of its former names: reads are GET with the input in the query, changes are POST with JSON. */
export function addOperationRoutes(
  app: FastifyInstance,
  parts: { engine: Engine; operations: readonly Operation[]; cookie: SessionCookie; signals: CallerSignals },
): void {
  const { engine, cookie, signals } = parts;
  for (const operation of parts.operations) {
    // Built at the first call: building all schemas takes a tenth of a second, and most processes never need them.
    let schema: JsonSchema | undefined;
    const readQuery = (query: Query) => {
      schema ??= inputSchema(operation);
      return inputFromQuery(schema, query);
    };
    const route: Omit<RouteOptions, 'url'> = {
      method: operation.changes ? 'POST' : 'GET',
      config: {
        ...operationLimit(operation.name),
        access: operation,
        ...(operation.changes && { bodyLimit: operationBodyLimit(operation, engine.settings.http) }),
      },
      async handler(request, reply) {
        const input = operation.changes ? request.body : readQuery(request.query as Query);
        const signal = signals.of(reply);
        const output = await executeOperation(engine, operation, request.caller, input, signal, request.ip);
        return reply.send(cookie.dress(operation.name, output, reply));
      },
    };
    for (const name of namesOf(operation)) app.route({ ...route, url: routeOf({ name }) });
  }
}
