import type { JsonSchema } from '../../src/server/routes/query-input.ts';
import { code, tableRow } from './markdown.ts';
import { typeText } from './type-text.ts';

/** The input of an operation as a table; the fields of inner objects follow as `retry.attempts`, `files[].name`. */
export function inputTable(schema: JsonSchema): string {
  const rows = fieldRows('', schema);
  if (rows.length === 0) return '';
  return ['| Field | Type | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function fieldRows(prefix: string, schema: JsonSchema): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const inner = field.type === 'array' ? field.items : field;
    const within = inner?.properties ? fieldRows(`${path}${inner === field ? '' : '[]'}.`, inner) : [];
    const needed = schema.required?.includes(name) ? 'required' : defaultText(field);
    return [tableRow(code(path), inputType(field), needed, String(field.description ?? '')), ...within];
  });
}

function defaultText({ default: value }: JsonSchema): string {
  if (value === undefined || JSON.stringify(value) === '{}') return '';
  return code(JSON.stringify(value));
}

/** In words, with the bounds that a caller must keep. */
function inputType(field: JsonSchema): string {
  const choices = field.anyOf ?? field.oneOf;
  if (choices)
    return choices
      .map((one) => (one.properties ? code(typeText(one).replaceAll(/\s+/g, ' ')) : inputType(one)))
      .join(' or ');
  if (Array.isArray(field.enum)) return field.enum.map((value) => code(JSON.stringify(value))).join(' ');
  if (field.type === 'array')
    return `list of ${field.items?.properties ? 'objects' : inputType(field.items ?? {})}`;
  if (field.type === 'string') return typeof field.format === 'string' ? formatName(field.format) : 'string';
  if (field.type === 'integer' || field.type === 'number') return `${field.type}${range(field)}`;
  return field.type === 'object' ? 'object' : typeText(field).replaceAll(' | ', ' or ');
}

function formatName(format: string): string {
  return { uri: 'URL', uuid: 'UUID', base64: 'Base64' }[format] ?? format;
}

function range({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  const from = exclusiveMinimum === undefined ? minimum : `above ${exclusiveMinimum}`;
  const unbounded = (value: unknown) =>
    value === undefined || Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER;
  if (unbounded(maximum)) return from === undefined || unbounded(minimum ?? 0) ? '' : `, ${atLeast(from)}`;
  return unbounded(minimum) && exclusiveMinimum === undefined
    ? `, at most ${maximum}`
    : `, ${from} to ${maximum}`;
}

function atLeast(from: unknown): string {
  return typeof from === 'string' ? from : `at least ${from}`;
}
