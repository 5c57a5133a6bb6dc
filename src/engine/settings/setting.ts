import { z } from 'zod';
import { type Settings, settingsSchema } from './settings.ts';

/** One setting, as users see it. */
export interface Setting {
  /** `http.bodyLimitMb`, or a value in a table: `processors.shout` */
  path: string;
  /** The parts of the path; names in tables may contain dots. */
  names: readonly string[];
  /** The path of the table that contains this value, if any. */
  table?: string;
  /** `PISMAK_HTTP_BODY_LIMIT_MB` */
  variable: string;
  kind: 'text' | 'number' | 'boolean' | 'list' | 'table';
  /** Whether it names files or directories; set by `.meta({ isPath: true })`. */
  isPath: boolean;
  /** The default, in words if it depends on the machine; undefined = no default. */
  default: unknown;
  /** The allowed values, in words. */
  allowed: string;
  description: string;
}

interface JsonSchema {
  type?: string;
  description?: string;
  /** Our own fields for what JSON Schema can't express; `.meta()` sets them. */
  allowed?: string;
  defaultInWords?: string;
  isPath?: boolean;
  default?: unknown;
  format?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
}

/** All settings of the engine and of some houses. */
export interface SettingsDefinition {
  schema: z.ZodType<Settings>;
  /** In the order of the schema. */
  all: readonly Setting[];
  /** The setting with this path, or the value in a setting that is a table. */
  find(path: string): Setting | undefined;
  /** The values allowed there, in words, and the names if it is a table with fixed names. Looks into lists, too. */
  at(names: readonly string[]): { allowed: string; keys: readonly string[] } | undefined;
  /** Whether it is the name of a table of settings, such as `http`. */
  isSection(path: string): boolean;
}

/** The part of a house that concerns settings. */
export interface HouseSettings {
  readonly name: string;
  readonly settings?: z.ZodObject;
}

/** Each house has a section named after it. */
export function defineSettings(houses: readonly HouseSettings[] = []): SettingsDefinition {
  const taken = houses.find(({ name }) => name in settingsSchema.shape);
  if (taken) throw new Error(`the engine has a setting ${taken.name}: a house can't have that name`);
  const sections = houses.flatMap(({ name, settings }) => (settings ? [[name, settings.prefault({})]] : []));
  // Zod can't type sections whose names are unknown at compile time.
  const schema = settingsSchema.extend(Object.fromEntries(sections)) as unknown as z.ZodType<Settings>;
  const root = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
  const all = leaves([], root);
  const byPath = new Map(all.map((setting) => [setting.path, setting]));
  return {
    schema,
    all,
    find: (path) => byPath.get(path) ?? inTable(root, all, path),
    at(names) {
      const found = schemaAt(root, names);
      return found && { allowed: allowedBy(found), keys: Object.keys(found.properties ?? {}) };
    },
    isSection: (path) => all.some((setting) => setting.path.startsWith(`${path}.`)),
  };
}

function leaves(names: readonly string[], schema: JsonSchema): Setting[] {
  if (!schema.properties) return [settingOf(names, schema)];
  return Object.entries(schema.properties).flatMap(([name, inner]) => leaves([...names, name], inner));
}

function settingOf(names: readonly string[], schema: JsonSchema): Setting {
  const path = names.join('.');
  return {
    path,
    names,
    variable: `PISMAK_${path.replaceAll(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase()}`,
    kind: kindOf(schema),
    isPath: schema.isPath ?? false,
    default: schema.defaultInWords ?? schema.default,
    allowed: allowedBy(schema),
    description: schema.description ?? '',
  };
}

/** Finds `shop.desks.cash.seats` if `shop.desks` is a table of tables, and `processors.shout` if `processors` is a table of values. */
function inTable(root: JsonSchema, all: readonly Setting[], path: string): Setting | undefined {
  const table = all.find((setting) => setting.kind === 'table' && path.startsWith(`${setting.path}.`));
  if (!table) return undefined;
  const rest = path.slice(table.path.length + 1);
  const hasKeys = entriesOf(schemaAt(root, table.names))?.properties !== undefined;
  const [, name = '', key] = (hasKeys ? /^(.+)\.([^.]+)$/s : /^(.+)$/s).exec(rest) ?? [];
  const names = [...table.names, name, ...(key === undefined ? [] : [key])];
  const schema = name === '' || name === '__proto__' ? undefined : schemaAt(root, names);
  return schema && { ...settingOf(names, schema), table: table.path };
}

/** The schema that the names lead to, in tables and lists too. */
function schemaAt(root: JsonSchema, names: readonly string[]): JsonSchema | undefined {
  let found: JsonSchema | undefined = root;
  for (const name of names) {
    const { properties, items }: JsonSchema = found ?? {};
    if (properties) found = Object.hasOwn(properties, name) ? properties[name] : undefined;
    else found = items ?? entriesOf(found);
  }
  return found;
}

function entriesOf({ additionalProperties }: JsonSchema = {}): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function allowedBy(schema: JsonSchema): string {
  return schema.allowed ?? describe(schema);
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
      return schema.properties
        ? `a table with ${Object.keys(schema.properties).join(', ')}`
        : 'a table of name = "text"';
    default:
      if (schema.format === 'email') return 'a mail address';
      return schema.format === 'uri' ? 'a URL' : 'text, not empty';
  }
}

function range({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  const lower = exclusiveMinimum === undefined ? minimum : undefined;
  // Zod also states the bounds of safe integers, which only clutter the page.
  const upper = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${upper === undefined ? '' : `, at most ${upper}`}`;
  if (lower !== undefined && upper !== undefined) return ` from ${lower} to ${upper}`;
  if (lower !== undefined) return `, at least ${lower}`;
  return upper === undefined ? '' : `, at most ${upper}`;
}
