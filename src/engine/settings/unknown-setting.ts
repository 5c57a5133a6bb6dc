import { nearestName } from '../nearest-name.ts';
import type { SettingsDefinition } from './setting.ts';

/** The message for a setting that does not exist. */
export function unknownSetting(definition: SettingsDefinition, path: string): string {
  const paths = definition.all.map((setting) => setting.path);
  const topLevel = [...new Set(paths.map((known) => known.replace(/\..*/, '')))];
  const section = path.slice(0, Math.max(0, path.lastIndexOf('.')));
  const siblings = paths.filter((known) => section !== '' && known.startsWith(`${section}.`));
  // `port` alone: the name is right, the section is missing.
  const near =
    nearestName(path, [...paths, ...topLevel]) ?? paths.find((known) => known.endsWith(`.${path}`));
  const allowed = siblings.length > 0 ? siblings : topLevel;
  return `there is no setting ${path}; ${near ? `did you mean ${near}? Allowed` : 'allowed'}: ${allowed.join(', ')}`;
}
