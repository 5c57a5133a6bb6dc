import { maskSecrets } from '../log/mask-secrets.ts';
import type { LoadedSettings } from './load.ts';

/** A setting as `pismak config` shows it. */
export interface SettingRow {
  setting: string;
  /** As in pismak.toml, with secrets masked; empty if there is no value. */
  value: string;
  origin: string;
  /** As in pismak.toml, or in words if it depends on the machine; empty if there is none. */
  default: string;
  variable: string;
  allowed: string;
  description: string;
}

export function settingRows({
  settings,
  origins,
  definition,
}: Pick<LoadedSettings, 'settings' | 'origins' | 'definition'>): SettingRow[] {
  return definition.all.map(({ path, kind, default: fallback, variable, allowed, description }) => ({
    setting: path,
    value: isSecretName(path) ? '***' : tomlValue(valueAt(settings, path)),
    origin: origins.get(path) ?? 'default',
    // Of a number, a text is in words.
    default: kind === 'number' && typeof fallback === 'string' ? fallback : tomlValue(fallback),
    variable,
    allowed,
    description,
  }));
}

/** Passwords are in URLs, which are masked. A house may have settings that are nothing but a secret. */
function isSecretName(path: string): boolean {
  return /(password|passwd|secret|token|credential|privateKey)$/i.test(path);
}

function valueAt(tree: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], tree);
}

/** As in pismak.toml, with secrets masked. */
export function tomlValue(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return JSON.stringify(maskSecrets(value));
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(
      ([name, inner]) =>
        `${JSON.stringify(name)} = ${isSecretName(name) && typeof inner === 'string' ? '"***"' : tomlValue(inner)}`,
    );
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  return String(value);
}
