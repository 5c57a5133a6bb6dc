import { stat } from 'node:fs/promises';
import { maskSecrets } from '../log/mask-secrets.ts';
import type { Layer } from './layers.ts';
import type { SettingsDefinition } from './setting.ts';

/** Every user of the machine can read the command lines of all processes. */
export function exposedOptions(
  options: readonly (readonly [typed: string, pair: string])[],
  definition: SettingsDefinition,
): string[] {
  const exposed = options.filter(([, pair]) => hasSecret(pair.slice(pair.indexOf('=') + 1)));
  const names = new Set(exposed.map(([typed, pair]) => (typed === '--set' ? nameOf(pair) : typed.slice(2))));
  return [...names].map((name) => {
    const { table, variable } = definition.find(name) ?? {};
    const places = [
      ...(table === undefined ? [`into the variable ${variable}`] : []),
      name === 'coordination' ? 'in a file (--coordination-file)' : 'into pismak.toml',
    ];
    return `the password in --${name} is on the command line, which every user of this machine can read; put it ${places.join(', or ')}`;
  });
}

/** Only its owner should be able to read a file with passwords. */
export async function exposedFile(file: string | undefined, layer: Layer | undefined): Promise<string[]> {
  if (file === undefined || !layer?.assignments.some(({ value }) => hasSecret(value))) return [];
  const { mode } = await stat(file);
  // Group access is usually granted on purpose; access for everybody usually isn't.
  return (mode & 0o004) === 0
    ? []
    : [`${file} holds passwords and every user can read it; chmod 600 ${file}`];
}

function hasSecret(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasSecret);
  return typeof value === 'string' && /^[a-z]+:\/\//.test(value) && maskSecrets(value) !== value;
}

function nameOf(pair: string): string {
  return pair.slice(0, pair.indexOf('='));
}
