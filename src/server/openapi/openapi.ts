import { setImmediate } from 'node:timers/promises';
import { errorStatus } from '../../engine/ground/errors.ts';
import { version } from '../../engine/ground/version.ts';
import type { Operation } from '../../engine/operation/operation.ts';
import type { StreamOperation } from '../../engine/operation/stream-operation.ts';
import { inputSchema, outputSchema, routeOf } from '../routes/operation-routes.ts';
import type { JsonSchema } from '../routes/query-input.ts';
import { streamPaths } from './openapi-streams.ts';
import { SharedSchemas } from './shared-schemas.ts';

/**
 * The description of the whole API, OpenAPI 3.1, generated from the operations. It takes a tenth of a second, so it gives way to
 * others.
 */
export async function openApi(
  operations: readonly Operation[],
  streams: readonly StreamOperation[],
  url: string,
) {
  const sorted = [...operations].sort((a, b) => a.name.localeCompare(b.name));
  const shared = new SharedSchemas();
  const paths: [string, ReturnType<typeof pathItem>][] = [];
  for (const operation of sorted) {
    paths.push([routeOf(operation), pathItem(operation, shared)]);
    await setImmediate();
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Pismak', version, description: 'Every operation of the engine and its houses.' },
    servers: [{ url }],
    tags: [...new Set(sorted.map(nounOf))].map((name) => ({ name })),
    security: [{ key: [] }, { session: [] }],
    paths: { ...Object.fromEntries(paths), ...streamPaths(streams) },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key made by key.create' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'pismak_session',
          description: 'Set by session.login',
        },
      },
      schemas: { ...shared.components, Error: errorSchema },
      responses: {
        Error: { description: 'What went wrong', content: json({ $ref: '#/components/schemas/Error' }) },
      },
    },
  };
}

export function nounOf(operation: Pick<Operation, 'name'>): string {
  return operation.name.split('.')[0] ?? operation.name;
}

function pathItem(operation: Operation, shared: SharedSchemas) {
  const input = shared.embed(inputSchema(operation), `${operation.name}.input`);
  const output = shared.embed(outputSchema(operation), `${operation.name}.output`);
  const description = {
    operationId: operation.name,
    summary: operation.summary,
    description: `Needs the role: ${operation.role}.`,
    tags: [nounOf(operation)],
    'x-role': operation.role,
    ...(operation.role === 'public' ? { security: [] } : {}),
    responses: {
      200: { description: 'Done', content: json(output) },
      default: { $ref: '#/components/responses/Error' },
    },
  };
  if (!operation.changes) return { get: { ...description, parameters: parameters(input) } };
  const body = { required: true, content: json(input, operation.example) };
  return { post: { ...description, requestBody: body } };
}

function parameters(input: JsonSchema) {
  return Object.entries(input.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: input.required?.includes(name) ?? false,
    ...(typeof schema.description === 'string' ? { description: schema.description } : {}),
    // A query has no notation for objects, so they are written as JSON.
    ...(schema.type === 'object' ? { content: json(schema) } : { schema }),
  }));
}

function json(schema: unknown, example?: unknown) {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', enum: Object.keys(errorStatus) },
        message: { type: 'string' },
        sentence: {
          type: 'object',
          description:
            'The message for programs, if they can say it: which sentence it is, and the values in it',
          properties: { code: { type: 'string' }, parameters: { type: 'object' } },
        },
        details: { type: 'object' },
      },
    },
  },
};
