import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { isSystemError, reasonOf } from '../files/system-error.ts';
import { PismakError } from '../ground/errors.ts';
import { exposedFile, exposedOptions } from './exposed-secrets.ts';
import { commandLineLayer, environmentLayer, fileLayer, type Layer } from './layers.ts';
import { defineSettings, type HouseSettings, type SettingsDefinition } from './setting.ts';
import type { Settings } from './settings.ts';
import { wrongValues } from './wrong-value.ts';

/** Settings from the command line. */
export interface CommandLineSettings {
  config?: string | undefined;
  data?: string | undefined;
  host?: string | undefined;
  port?: string | undefined;
  coordination?: string | undefined;
  /** A file with the URL of the coordination, because the process list shows the command line to everyone. */
  coordinationFile?: string | undefined;
  /** `http.port=8080`; may be repeated. */
  set?: readonly string[] | undefined;
}

export interface LoadedSettings {
  settings: Settings;
  /** Where each setting came from: `default`, `pismak.toml:12`, `environment PISMAK_X`, `command line --x`. */
  origins: ReadonlyMap<string, string>;
  /** All known settings. */
  definition: SettingsDefinition;
  /** The file that was read, if any. */
  file: string | undefined;
  /** Passwords that others can read, and how to protect them. */
  warnings: readonly string[];
}

/**
 * Reads the layers: defaults, `pismak.toml`, the environment, the command line; each overrides the one before. Reports all
 * mistakes at once, as `configuration-invalid`.
 */
export async function loadSettings(from: {
  /** Each house has its own section. */
  houses?: readonly HouseSettings[];
  commandLine?: CommandLineSettings;
  environment?: Readonly<Record<string, string | undefined>>;
  /** The directory that relative paths in the environment and the command line start from. */
  directory?: string;
}): Promise<LoadedSettings> {
  const { commandLine = {}, environment = process.env, directory = process.cwd() } = from;
  const definition = defineSettings(from.houses);
  const named = commandLine.config ?? environment.PISMAK_CONFIG;
  const file = await readLayer(definition, resolve(directory, named ?? 'pismak.toml'), named !== undefined);
  const pairs = commandLinePairs(commandLine);
  const layers = [
    file.layer,
    environmentLayer(definition, environment, directory),
    commandLineLayer(definition, pairs, directory),
    await secretFileLayer(definition, commandLine.coordinationFile, directory),
  ];
  refuseIf(layers.flatMap((layer) => layer.problems));
  const origins = new Map(definition.all.map(({ path }) => [path, 'default']));
  const tree: Record<string, unknown> = { data: resolve(directory, definition.schema.parse({}).data) };
  const assignments = layers.flatMap((layer) => layer.assignments);
  for (const { setting, value, origin } of assignments) {
    put(tree, setting.names, value);
    origins.set(setting.table ?? setting.path, together(origins.get(setting.table ?? ''), origin));
  }
  // Values in tables were checked one by one; now check whether their tables are complete.
  for (const { setting, origin } of assignments) {
    const table = setting.table === undefined ? undefined : definition.find(setting.table);
    if (table) refuseIf(wrongValues(definition, table, tree).map(({ message }) => `${origin}: ${message}`));
  }
  const warnings = [
    ...exposedOptions(pairs, definition),
    ...(await exposedFile(file.path, file.layer)),
    ...(await exposedFile(
      commandLine.coordinationFile && resolve(directory, commandLine.coordinationFile),
      layers.at(-1),
    )),
  ];
  return { settings: definition.schema.parse(tree), origins, definition, file: file.path, warnings };
}

/** The values of a table may come from several layers. */
function together(before: string | undefined, origin: string): string {
  if (before === undefined || before === 'default') return origin;
  return before.endsWith(origin) ? before : `${before}, ${origin}`;
}

function refuseIf(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new PismakError('configuration-invalid', `the configuration is wrong:\n  ${problems.join('\n  ')}`, {
    details: { problems },
  });
}

async function readLayer(
  definition: SettingsDefinition,
  path: string,
  required: boolean,
): Promise<{ layer: Layer; path: string | undefined }> {
  const name = basename(path);
  const wrong = (problem: string) => ({ layer: { assignments: [], problems: [problem] }, path });
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const absent = isSystemError(error, 'ENOENT');
    if (absent && !required) return { layer: { assignments: [], problems: [] }, path: undefined };
    return wrong(absent ? `there is no file ${path}` : `${path} can't be read: ${reasonOf(error)}`);
  }
  try {
    return { layer: fileLayer(definition, name, dirname(path), text, parse(text)), path };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = ''] = error.message.replace('Invalid TOML document: ', '').split('\n');
    return wrong(`${name}:${error.line}: this is not TOML: ${what} (column ${error.column})`);
  }
}

async function secretFileLayer(
  definition: SettingsDefinition,
  file: string | undefined,
  directory: string,
): Promise<Layer> {
  if (file === undefined) return { assignments: [], problems: [] };
  const typed = '--coordination-file';
  try {
    const url = (await readFile(resolve(directory, file), 'utf8')).trim();
    return commandLineLayer(definition, [[typed, `coordination=${url}`]], directory);
  } catch (error) {
    return { assignments: [], problems: [`${typed}: ${file} can't be read: ${reasonOf(error)}`] };
  }
}

function commandLinePairs({
  set = [],
  data,
  host,
  port,
  coordination,
}: CommandLineSettings): [string, string][] {
  const named = { '--data': ['data', data], '--host': ['http.host', host], '--port': ['http.port', port] };
  const options = Object.entries({ ...named, '--coordination': ['coordination', coordination] });
  return [
    ...set.map((pair): [string, string] => ['--set', pair]),
    ...options.flatMap(([typed, [path, value]]): [string, string][] =>
      value === undefined ? [] : [[typed, `${path}=${value}`]],
    ),
  ];
}

function put(tree: Record<string, unknown>, names: readonly string[], value: unknown): void {
  let inner = tree;
  for (const name of names.slice(0, -1)) {
    if (!Object.hasOwn(inner, name)) inner[name] = {};
    inner = inner[name] as Record<string, unknown>;
  }
  inner[names.at(-1) ?? ''] = value;
}
