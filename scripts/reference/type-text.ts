import type { JsonSchema } from '../../src/server/routes/query-input.ts';

/** The name of an object that is described elsewhere; undefined: describe it in place. */
export type NameOf = (schema: JsonSchema) => string | undefined;

const lineWidth = 110;

/** A type in the notation of TypeScript, on as many lines as it needs; descriptions become comments. */
export function typeText(schema: JsonSchema, nameOf: NameOf = () => undefined, indent = ''): string {
  const name = nameOf(schema);
  if (name !== undefined) return name;
  if (typeof schema.$ref === 'string') return 'any';
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map((one) => typeText(one, nameOf, indent)))].join(' | ');
  if (Array.isArray(schema.prefixItems)) {
    // A list of fixed length, each place with its own type.
    const places = (schema.prefixItems as JsonSchema[]).map((one) => typeText(one, nameOf, indent));
    return `[${places.join(', ')}]`;
  }
  if (schema.type === 'array') return listText(typeText(schema.items ?? {}, nameOf, indent));
  if (schema.type === 'object') return objectText(schema, nameOf, indent);
  return [schema.type ?? 'any'].flat().join(' | ');
}

function listText(item: string): string {
  return item.includes(' | ') && !/^[{[]/.test(item) ? `(${item})[]` : `${item}[]`;
}

function objectText(schema: JsonSchema, nameOf: NameOf, indent: string): string {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return recordText(schema, nameOf, indent);
  const described = fields.some(([, field]) => typeof field.description === 'string');
  const parts = fields.map(([name, field]) => {
    const optional = schema.required?.includes(name) ? '' : '?';
    return { line: `${name}${optional}: ${typeText(field, nameOf, `${indent}  `)}`, field };
  });
  const oneLine = `{ ${parts.map(({ line }) => line).join(', ')} }`;
  if (!described && !oneLine.includes('\n') && indent.length + oneLine.length < lineWidth) return oneLine;
  const lines = parts.map(({ line, field }) => commented(`${indent}  ${line},`, field, `${indent}  `));
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** Beside the field, or above it where that would be too long. */
function commented(line: string, { description }: JsonSchema, indent: string): string {
  if (typeof description !== 'string') return line;
  const beside = `${line} // ${description}`;
  return line.includes('\n') || beside.length > lineWidth ? `${indent}// ${description}\n${line}` : beside;
}

/** An object whose field names are data. */
function recordText({ propertyNames, additionalProperties }: JsonSchema, nameOf: NameOf, indent: string) {
  if (typeof additionalProperties !== 'object' || additionalProperties === null) return '{}';
  const names = (propertyNames as JsonSchema | undefined)?.enum;
  const key = Array.isArray(names) ? names.join(' | ') : '[name]';
  return `{ ${key}: ${typeText(additionalProperties as JsonSchema, nameOf, indent)} }`;
}
