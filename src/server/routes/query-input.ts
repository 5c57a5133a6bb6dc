import { parseJson } from '../../engine/ground/json.ts';

/** The part of JSON Schema that matters here. */
export interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  $defs?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  [keyword: string]: unknown;
}

export type Query = Record<string, string | string[] | undefined>;

/**
 * Converts query parameters to the schema's types: numbers, booleans, lists (`a=1&a=2`, or JSON) and objects (JSON).
 * A value that can't be converted stays text, and the schema reports it.
 */
export function inputFromQuery(schema: JsonSchema, query: Query): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    const wanted = schema.properties?.[name];
    if (value !== undefined) input[name] = wanted ? convert(wanted, value) : value;
  }
  return input;
}

/** The opposite: writes an input as a query. */
export function queryFromInput(input: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    query.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return query.toString();
}

function convert(schema: JsonSchema, value: string | string[]): unknown {
  const types = typesOf(schema);
  if (types.has('array')) {
    if (Array.isArray(value)) return value.map((one) => convert(schema.items ?? {}, one));
    return value.startsWith('[') ? parseJson(value, value) : [convert(schema.items ?? {}, value)];
  }
  if (Array.isArray(value)) return value;
  if (types.has('null') && value === 'null') return null;
  if (types.has('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  if (
    (types.has('number') || types.has('integer')) &&
    value.trim() !== '' &&
    Number.isFinite(Number(value))
  ) {
    return Number(value);
  }
  return types.has('object') ? parseJson(value, value) : value;
}

function typesOf(schema: JsonSchema): Set<string> {
  const own = schema.type === undefined ? [] : [schema.type].flat();
  const nested = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => list ?? []);
  return new Set([...own, ...nested.flatMap((one) => [...typesOf(one)])]);
}
