import { z } from 'zod';
import { type Settings, settingsSchema } from './settings.ts';

/** One setting as users meet it. */
export interface Setting {
  /** `http.bodyLimitMb` */
  path: string;
  /** `PISMAK_HTTP_BODY_LIMIT_MB` */
  variable: string;
  kind: 'text' | 'number' | 'boolean' | 'list' | 'table';
  /** In words if it depends on the machine; undefined = no default. */
  default: unknown;
  /** Which values are allowed, in words. */
  allowed: string;
  description: string;
}

interface JsonSchema {
  type?: string;
  description?: string;
  /** Our own fields for what JSON Schema can't say; `.meta()` sets them. */
  allowed?: string;
  defaultInWords?: string;
  default?: unknown;
  format?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
}

/** All settings of the engine and of some houses. */
export interface SettingsDefinition {
  schema: z.ZodType<Settings>;
  /** In the order of the schema. */
  all: readonly Setting[];
  find(path: string): Setting | undefined;
  /** Whether it is the name of a table of settings, such as `http`. */
  isSection(path: string): boolean;
}

/** Each house has a section of its own name. */
export function defineSettings(
  houses: readonly { name: string; settings?: z.ZodObject }[] = [],
): SettingsDefinition {
  const taken = houses.find(({ name }) => name in settingsSchema.shape);
  if (taken) throw new Error(`the engine has a setting ${taken.name}: a house can't have that name`);
  const sections = houses.flatMap(({ name, settings }) => (settings ? [[name, settings.prefault({})]] : []));
  // Zod can't type sections whose names are unknown at compile time.
  const schema = settingsSchema.extend(Object.fromEntries(sections)) as unknown as z.ZodType<Settings>;
  const all = leaves('', z.toJSONSchema(schema, { io: 'input' }) as JsonSchema);
  const byPath = new Map(all.map((setting) => [setting.path, setting]));
  return {
    schema,
    all,
    find: (path) => byPath.get(path),
    isSection: (path) => all.some((setting) => setting.path.startsWith(`${path}.`)),
  };
}

function leaves(path: string, schema: JsonSchema): Setting[] {
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([name, inner]) =>
      leaves(path ? `${path}.${name}` : name, inner),
    );
  }
  return [
    {
      path,
      variable: `PISMAK_${path.replaceAll(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase()}`,
      kind: kindOf(schema),
      default: schema.defaultInWords ?? schema.default,
      allowed: schema.allowed ?? describe(schema),
      description: schema.description ?? '',
    },
  ];
}

function kindOf(schema: JsonSchema): Setting['kind'] {
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'array') return 'list';
  return schema.type === 'object' ? 'table' : 'text';
}

function describe(schema: JsonSchema): string {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  switch (kindOf(schema)) {
    case 'number':
      return `a ${schema.type === 'integer' ? 'whole ' : ''}number${range(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'list':
      return `a list, each ${schema.items?.allowed ?? describe(schema.items ?? {})}`;
    case 'table':
      return 'a table of name = "text"';
    default:
      return schema.format === 'uri' ? 'a URL' : 'text, not empty';
  }
}

function range({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  const lower = exclusiveMinimum === undefined ? minimum : undefined;
  // Zod states the bounds of safe integers too; they only clutter the page.
  const upper = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${upper === undefined ? '' : `, at most ${upper}`}`;
  if (lower !== undefined && upper !== undefined) return ` from ${lower} to ${upper}`;
  if (lower !== undefined) return `, at least ${lower}`;
  return upper === undefined ? '' : `, at most ${upper}`;
}
