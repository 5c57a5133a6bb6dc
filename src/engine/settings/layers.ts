import { isAbsolute, resolve } from 'node:path';
import { inspect } from 'node:util';
import { maskSecrets } from '../log/mask-secrets.ts';
import { nearestName } from '../nearest-name.ts';
import type { Setting, SettingsDefinition } from './setting.ts';
import { lineOf, tomlLines } from './toml-lines.ts';
import { unknownSetting } from './unknown-setting.ts';

/** A value that some layer gives to a setting. */
export interface Assignment {
  path: string;
  value: unknown;
  /** `pismak.toml:12`, `environment PISMAK_HTTP_PORT`, `command line --port` */
  origin: string;
}

/** The values of a layer, and what is wrong with it. */
export interface Layer {
  assignments: Assignment[];
  problems: string[];
}

/** Variables that start with the prefix of settings but are not settings. */
const otherVariables = ['PISMAK_CONFIG', 'PISMAK_URL', 'PISMAK_KEY', 'PISMAK_DEBUG'];

/** Relative paths in a file start at the file's directory, wherever the program is started. */
export function fileLayer(
  definition: SettingsDefinition,
  name: string,
  directory: string,
  text: string,
  table: Record<string, unknown>,
): Layer {
  const lines = tomlLines(text);
  const layer: Layer = { assignments: [], problems: [] };
  const read = (prefix: string, values: Record<string, unknown>) => {
    for (const [key, value] of Object.entries(values)) {
      const path = prefix === '' ? key : `${prefix}.${key}`;
      const line = lineOf(lines, path);
      const origin = line === undefined ? name : `${name}:${line}`;
      const setting = definition.find(path);
      if (setting) assign(layer, definition, setting, value, origin, directory);
      else if (definition.isSection(path) && isTable(value)) read(path, value);
      else if (definition.isSection(path))
        layer.problems.push(`${origin}: ${path} is a section: write [${path}] and its settings below`);
      else layer.problems.push(`${origin}: ${unknownSetting(definition, path)}`);
    }
  };
  read('', table);
  return layer;
}

export function environmentLayer(
  definition: SettingsDefinition,
  environment: Readonly<Record<string, string | undefined>>,
  directory: string,
): Layer {
  const layer: Layer = { assignments: [], problems: [] };
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith('PISMAK_') || text === undefined || otherVariables.includes(variable)) continue;
    const setting = definition.all.find((one) => one.variable === variable);
    if (setting)
      assign(layer, definition, setting, fromText(setting, text), `environment ${variable}`, directory);
    else {
      const near = nearestName(variable, [...definition.all.map((one) => one.variable), ...otherVariables]);
      layer.problems.push(
        `environment ${variable}: there is no such setting${near ? `; did you mean ${near}?` : ''}`,
      );
    }
  }
  return layer;
}

/** `options` are pairs of what was typed (`--port`, or `--set`) and PATH=TEXT. */
export function commandLineLayer(
  definition: SettingsDefinition,
  options: readonly (readonly [typed: string, pair: string])[],
  directory: string,
): Layer {
  const layer: Layer = { assignments: [], problems: [] };
  for (const [typed, pair] of options) {
    const at = pair.indexOf('=');
    const path = at < 0 ? pair : pair.slice(0, at);
    const setting = definition.find(path);
    if (at < 0) layer.problems.push(`command line ${typed} ${pair}: write it as ${typed} NAME=VALUE`);
    else if (!setting) layer.problems.push(`command line ${typed}: ${unknownSetting(definition, path)}`);
    else
      assign(
        layer,
        definition,
        setting,
        fromText(setting, pair.slice(at + 1)),
        `command line ${typed}`,
        directory,
      );
  }
  return layer;
}

function assign(
  layer: Layer,
  definition: SettingsDefinition,
  setting: Setting,
  value: unknown,
  origin: string,
  directory: string,
): void {
  const { path } = setting;
  const checked = definition.schema.safeParse(nest(path, value));
  if (checked.success) layer.assignments.push({ path, value: withPaths(path, value, directory), origin });
  else {
    const own = checked.error.issues.find((issue) => issue.code === 'custom')?.message;
    const shown = maskSecrets(inspect(value, { breakLength: Number.POSITIVE_INFINITY })).slice(0, 100);
    layer.problems.push(`${origin}: ${path} can't be ${shown}; it ${own ?? `must be ${setting.allowed}`}`);
  }
}

/** Makes paths absolute: child processes and services run in other directories. */
function withPaths(path: string, value: unknown, directory: string): unknown {
  if (path === 'data') return resolve(directory, String(value));
  if (path !== 'processors' || !isTable(value)) return value;
  const isFile = (text: string) => text.startsWith('.') || isAbsolute(text);
  return Object.fromEntries(
    Object.entries(value).map(([name, module]) => [
      name,
      typeof module === 'string' && isFile(module) ? resolve(directory, module) : module,
    ]),
  );
}

/** `nest('http.port', 1)` is `{ http: { port: 1 } }`. */
function nest(path: string, value: unknown): unknown {
  return path.split('.').reduceRight((inner, name) => ({ [name]: inner }), value);
}

function fromText({ kind }: Setting, text: string): unknown {
  const trimmed = text.trim();
  if (kind === 'number') return trimmed !== '' && Number.isFinite(Number(trimmed)) ? Number(trimmed) : text;
  if (kind === 'boolean') return trimmed === 'true' ? true : trimmed === 'false' ? false : text;
  const entries = trimmed === '' ? [] : trimmed.split(',').map((entry) => entry.trim());
  if (kind === 'list') return entries;
  if (kind === 'table') return Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s, 2)));
  return text;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) !== Date.prototype &&
    !Array.isArray(value)
  );
}
