import fc from 'fast-check';
import { z } from 'zod';
import type { Operation } from '../operation/operation.ts';

/** The part of JSON Schema that inputs of operations use. */
interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
}

const hostileTexts = [
  '',
  ' ',
  '.',
  '..',
  '/',
  '../../etc/passwd',
  '/workers/w1',
  '/servers/broker',
  'a/b',
  'a\u0000b',
  '\ud800',
  '\u202e',
  '%s%n',
  "'; DROP TABLE stage; --",
  '__proto__',
  'constructor',
  'toString',
  '0'.repeat(64),
  'x'.repeat(300),
  '💥',
  'null',
  '{}',
  'sqlite:',
  'AAAA',
  '0 3 * * *',
];

/**
 * Inputs of the right shape with values from `names` and hostile ones; the operation's example with some fields replaced
 * by such values; and sometimes something quite different.
 */
export function arbitraryInput(
  operation: Pick<Operation, 'input' | 'example'>,
  names: readonly string[],
): fc.Arbitrary<unknown> {
  const text = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names) },
    { weight: 2, arbitrary: fc.constantFrom(...hostileTexts) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
    { weight: 1, arbitrary: fc.uuid() },
  );
  const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' }) as Schema;
  const fields = Object.keys(schema.properties ?? {});
  const changed = fc
    .tuple(object(schema, text), fc.subarray(fields, { maxLength: Math.min(2, fields.length) }))
    .map(([values, chosen]) => {
      const replaced = chosen.filter((name) => name in values).map((name) => [name, values[name]]);
      return Object.assign({}, operation.example, Object.fromEntries(replaced));
    });
  return fc.oneof(
    { weight: 10, arbitrary: changed },
    { weight: 10, arbitrary: arbitrary(schema, text) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
}

function arbitrary(schema: Schema, text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => arbitrary(choice, text)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'string':
      return text;
    case 'integer':
    case 'number': {
      const lowest = Math.max(schema.minimum ?? -2, -2);
      return fc.oneof(
        fc.integer({ min: lowest, max: lowest + 7 }),
        fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 1, -1, 0.5, 1e308, Number.MAX_SAFE_INTEGER),
      );
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(arbitrary(schema.items ?? {}, text), { maxLength: 4 });
    case 'object':
      return object(schema, text);
    default:
      return fc.jsonValue();
  }
}

function object(
  { properties = {}, required = [], additionalProperties }: Schema,
  text: fc.Arbitrary<string>,
) {
  const fields: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, schema] of Object.entries(properties)) fields[name] = arbitrary(schema, text);
  const known = fc.record(fields, { requiredKeys: required });
  if (typeof additionalProperties !== 'object') return known;
  return fc.dictionary(text, arbitrary(additionalProperties, text), { maxKeys: 3 });
}
