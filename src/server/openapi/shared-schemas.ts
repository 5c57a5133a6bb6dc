import type { JsonSchema } from '../routes/query-input.ts';

/**
 * A recursive schema keeps its parts in `$defs` and refers to them from its own root. Inside a bigger document those
 * references would be broken, so the parts move to the document's `components.schemas` under unique names.
 */
export class SharedSchemas {
  readonly components: Record<string, unknown> = {};

  embed(schema: JsonSchema, owner: string): JsonSchema {
    const { $defs, ...rest } = schema;
    if ($defs === undefined) return rest;
    const named = (name: string) => `${owner}.${name}`;
    for (const [name, part] of Object.entries($defs)) this.components[named(name)] = redirect(part, named);
    return redirect(rest, named) as JsonSchema;
  }
}

const local = '#/$defs/';

function redirect(value: unknown, named: (name: string) => string): unknown {
  return JSON.parse(JSON.stringify(value), (key, nested: unknown) => {
    if (key !== '$ref' || typeof nested !== 'string' || !nested.startsWith(local)) return nested;
    return `#/components/schemas/${named(nested.slice(local.length))}`;
  });
}
