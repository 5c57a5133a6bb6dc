import { isAbsolute, resolve } from 'node:path';
import { nearestName } from '../ground/nearest-name.ts';
import type { Setting, SettingsDefinition } from './setting.ts';
import { lineOf, tomlLines } from './toml-lines.ts';
import { unknownSetting } from './unknown-setting.ts';
import { wrongValues } from './wrong-value.ts';

/** A value that a layer assigns to a setting. */
export interface Assignment {
  setting: Setting;
  value: unknown;
  /** `pismak.toml:12`, `environment PISMAK_HTTP_PORT`, `command line --port` */
  origin: string;
}

/** The values of a layer, and its mistakes. */
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
  const originOf = (path: string) => {
    const line = lineOf(lines, path);
    return line === undefined ? name : `${name}:${line}`;
  };
  const read = (prefix: string, values: Record<string, unknown>) => {
    for (const [key, value] of Object.entries(values)) {
      const path = prefix === '' ? key : `${prefix}.${key}`;
      const origin = originOf(path);
      const setting = definition.find(path);
      if (setting) assign(layer, definition, setting, value, originOf, directory);
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
      assign(layer, definition, setting, fromText(setting, text), () => `environment ${variable}`, directory);
    else {
      const near = nearestName(variable, [...definition.all.map((one) => one.variable), ...otherVariables]);
      layer.problems.push(
        `environment ${variable}: there is no such setting${near ? `; did you mean ${near}?` : ''}`,
      );
    }
  }
  return layer;
}

/** `options` are pairs of the option as typed (`--port`, or `--set`) and PATH=TEXT. */
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
    else if (!setting) layer.problems.push(`command line ${typed}: ${notThere(definition, path)}`);
    else
      assign(
        layer,
        definition,
        setting,
        fromText(setting, pair.slice(at + 1)),
        () => `command line ${typed}`,
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
  originOf: (path: string) => string,
  directory: string,
): void {
  const wrong = wrongValues(definition, setting, nest(setting.names, value));
  for (const { path, message } of wrong) layer.problems.push(`${originOf(path)}: ${message}`);
  if (wrong.length > 0) return;
  layer.assignments.push({
    setting,
    value: withPaths(setting, value, directory),
    origin: originOf(setting.path),
  });
}

/** It may be an entry of a table, which has its own values. */
function notThere(definition: SettingsDefinition, path: string): string {
  const names = path.split('.');
  const isInTable = definition.find(names.slice(0, -1).join('.'))?.kind === 'table';
  const keys = isInTable ? (definition.at(names)?.keys ?? []) : [];
  if (keys.length === 0) return unknownSetting(definition, path);
  return `${path} is a table: set its values, ${keys.map((key) => `${path}.${key}`).join(', ')}`;
}

/** Makes paths absolute: child processes and services run in other directories. */
function withPaths({ path, table, isPath }: Setting, value: unknown, directory: string): unknown {
  if (isPath && Array.isArray(value)) return value.map((one) => resolve(directory, String(one)));
  // Empty means unset.
  if (isPath) return value === '' ? value : resolve(directory, String(value));
  const isFile = (text: string) => text.startsWith('.') || isAbsolute(text);
  const absolute = (module: unknown) =>
    typeof module === 'string' && isFile(module) ? resolve(directory, module) : module;
  if (table === 'processors') return absolute(value);
  if (path !== 'processors' || !isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, module]) => [name, absolute(module)]));
}

/** `nest(['http', 'port'], 1)` is `{ http: { port: 1 } }`. */
function nest(names: readonly string[], value: unknown): unknown {
  return names.reduceRight((inner, name) => ({ [name]: inner }), value);
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
