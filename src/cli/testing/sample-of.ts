import { z } from 'zod';

type Schema = z.core.JSONSchema.JSONSchema;

/** The smallest value that fits a schema: lists are empty, and nullable values are null. */
export function sampleOf<Type extends z.ZodType>(schema: Type): z.output<Type> {
  return sample(z.toJSONSchema(schema, { io: 'output' })) as z.output<Type>;
}

function sample(schema: Schema): unknown {
  const {
    anyOf,
    oneOf = anyOf,
    const: only,
    enum: choices = only === undefined ? undefined : [only],
  } = schema;
  if (oneOf) return oneOf.some(({ type }) => type === 'null') ? null : sample(oneOf.at(-1) ?? {});
  if (choices) return choices[0];
  if (schema.type === 'object') {
    const fields = Object.entries(schema.properties ?? {}).filter(([name]) =>
      schema.required?.includes(name),
    );
    return Object.fromEntries(fields.map(([name, field]) => [name, sample(field as Schema)]));
  }
  const number = Math.max(0, schema.minimum ?? 0);
  const samples = { array: [], string: 'x', number, integer: number, boolean: false };
  return Object.entries(samples).find(([type]) => type === schema.type)?.[1] ?? null;
}
