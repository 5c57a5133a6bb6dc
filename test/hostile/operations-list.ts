import { send, type Visitor } from './target.ts';

export type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
  default?: unknown;
  format?: string;
  minimum?: number;
};

/** One thing that the API offers, as its own description says. */
export interface Offered {
  name: string;
  method: string;
  path: string;
  role: string;
  input: Schema;
  example: unknown;
}

type Described = {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, Schema> };
};
type DescribedOperation = {
  operationId: string;
  'x-role'?: string;
  parameters?: { name: string; in: string; schema?: Schema; content?: Record<string, { schema: Schema }> }[];
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> };
};

/** Reads the list from the server, so a new house is attacked without a change here. */
export async function offeredBy(url: string, visitor: Visitor): Promise<Offered[]> {
  const reply = await send(url, visitor, { method: 'GET', path: '/api/v1/openapi.json' });
  if (reply.status !== 200) throw new Error(`the list of operations cannot be read: ${reply.status}`);
  const { paths, components } = JSON.parse(reply.text) as Described;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const json = operation.requestBody?.content['application/json'];
      const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
      const query = Object.fromEntries(
        parameters.map(({ name, schema, content }) => [
          name,
          schema ?? content?.['application/json']?.schema ?? {},
        ]),
      );
      return {
        name: operation.operationId,
        method: method.toUpperCase(),
        path,
        role: operation['x-role'] ?? 'public',
        input: resolve(json?.schema ?? { type: 'object', properties: query }, components.schemas, 0),
        example: json?.example ?? {},
      };
    }),
  );
}

function resolve(schema: Schema, shared: Record<string, Schema>, depth: number): Schema {
  if (depth > 12) return {};
  const named = schema.$ref?.split('/').at(-1);
  if (named !== undefined) return resolve(shared[decodeURIComponent(named)] ?? {}, shared, depth + 1);
  const all = (list: Schema[] | undefined) => list?.map((one) => resolve(one, shared, depth + 1));
  return {
    ...schema,
    ...(schema.items && { items: resolve(schema.items, shared, depth + 1) }),
    ...(schema.anyOf && { anyOf: all(schema.anyOf) ?? [] }),
    ...(schema.oneOf && { oneOf: all(schema.oneOf) ?? [] }),
    ...(schema.properties && {
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, one]) => [name, resolve(one, shared, depth + 1)]),
      ),
    }),
  };
}
