import { nearestName } from '../ground/nearest-name.ts';
import type { SettingsDefinition } from './setting.ts';

/** The message for a setting that does not exist. `keys` are the names that its table may have. */
export function unknownSetting(
  definition: SettingsDefinition,
  path: string,
  keys: readonly string[] = keysBeside(definition, path),
): string {
  if (keys.length > 0) {
    const section = path.slice(0, path.lastIndexOf('.'));
    const name = path.slice(section.length + 1);
    const near = nearestName(name, keys) ?? keys.find((key) => key.startsWith(name));
    return message(path, near === name ? undefined : near && `${section}.${near}`, keys);
  }
  const paths = definition.all.map((setting) => setting.path);
  const topLevel = [...new Set(paths.map((known) => known.replace(/\..*/, '')))];
  let section = path;
  while (section !== '' && !definition.isSection(section))
    section = section.slice(0, Math.max(0, section.lastIndexOf('.')));
  const siblings = paths.filter((known) => section !== '' && known.startsWith(`${section}.`));
  const [name] = path.slice(section.length + 1).split('.');
  const near =
    nearestName(path, [...paths, ...topLevel]) ??
    nearestName(`${section}.${name}`, siblings) ??
    // Only `port`: the name is right, but the section is missing.
    paths.find((known) => known.endsWith(`.${path}`));
  const allowed = siblings.length > 0 ? siblings : topLevel;
  return message(path, near, allowed);
}

function message(path: string, near: string | undefined, allowed: readonly string[]): string {
  return `there is no setting ${path}; ${near ? `did you mean ${near}? Allowed` : 'allowed'}: ${allowed.join(', ')}`;
}

/** The names of the values in an entry of a table, to suggest for a mistyped one. */
function keysBeside({ all, at }: SettingsDefinition, path: string): readonly string[] {
  const table = all.find((setting) => setting.kind === 'table' && path.startsWith(`${setting.path}.`));
  return (table && at([...table.names, 'entry'])?.keys) ?? [];
}
