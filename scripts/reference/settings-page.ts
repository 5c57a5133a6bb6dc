import type { House } from '../../src/engine/house.ts';
import { defineSettings, type Setting } from '../../src/engine/settings/setting.ts';
import { tomlValue } from '../../src/engine/settings/show.ts';
import { code, tableRow } from './markdown.ts';

/** The generated part of docs/settings.md: one table for each section. */
export function settingsReference(houses: readonly House[]): string {
  const titles = new Map(houses.map(({ name, title }) => [name, title]));
  const sections = Map.groupBy(defineSettings(houses).all, ({ path }) =>
    path.split('.').slice(0, -1).join('.'),
  );
  return [...sections].map(([name, settings]) => section(name, settings, titles.get(name))).join('\n\n');
}

function section(name: string, settings: readonly Setting[], house: string | undefined): string {
  const title = name === '' ? 'Top of the file' : `\`[${name}]\`${house ? ` ${house}` : ''}`;
  const rows = settings.map((setting) =>
    tableRow(
      `${code(setting.path)}<br>${code(setting.variable)}`,
      defaultText(setting),
      setting.allowed,
      setting.description,
    ),
  );
  return [`## ${title}`, '', '| Setting | Default | Allowed | Meaning |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function defaultText({ default: value, kind }: Setting): string {
  if (value === undefined) return '';
  return kind === 'number' && typeof value === 'string' ? value : code(tomlValue(value));
}
