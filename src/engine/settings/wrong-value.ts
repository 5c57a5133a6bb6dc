import { inspect } from 'node:util';
import type { z } from 'zod';
import { maskSecrets } from '../log/mask-secrets.ts';
import type { Setting, SettingsDefinition } from './setting.ts';
import { unknownSetting } from './unknown-setting.ts';

type Issue = z.core.$ZodIssue;
type Names = readonly string[];

/** What is wrong, and the path of the wrong part. */
export interface WrongValue {
  path: string;
  message: string;
}

/** What is wrong with one setting in a tree of settings, by its wrong parts. Mistakes elsewhere are left out. */
export function wrongValues(
  definition: SettingsDefinition,
  { names }: Pick<Setting, 'names'>,
  tree: unknown,
): WrongValue[] {
  const issues = definition.schema.safeParse(tree).error?.issues ?? [];
  const found = issues.flatMap((issue) => {
    const at = issue.path.map(String);
    const isInside = begins(at, names) || (issue.code === 'invalid_key' && begins(names, at));
    return isInside ? describe(definition, names, tree, issue, at) : [];
  });
  return [...new Map(found.map((wrong) => [wrong.path, wrong])).values()];
}

function describe(
  definition: SettingsDefinition,
  setting: Names,
  tree: unknown,
  issue: Issue,
  at: Names,
): WrongValue[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const path = [...at, key].join('.');
      return { path, message: unknownSetting(definition, path, definition.at(at)?.keys) };
    });
  if (issue.code === 'invalid_key') {
    const [pattern] = issue.issues.flatMap((one) => ('pattern' in one ? [one.pattern] : []));
    const rule = pattern === undefined ? '' : `; names must match ${pattern}`;
    const table = at.slice(0, -1).join('.');
    return [{ path: at.join('.'), message: `${table} can't have the name ${at.at(-1)}${rule}` }];
  }
  const names = shownPart(setting, tree, at);
  const path = names.join('.');
  const value = valueAt(tree, names);
  const must = `must be ${definition.at(names)?.allowed}`;
  if (value === undefined) return [{ path, message: `${path} is missing; it ${must}` }];
  const isOwnMessage = issue.code === 'custom' || (names === at && issue.message.startsWith('must'));
  const rule = isOwnMessage ? issue.message : must;
  // `must be ...` is about the value; other messages are sentences.
  return [
    { path, message: `${path} can't be ${shown(value)}${rule.startsWith('must') ? '; it' : ':'} ${rule}` },
  ];
}

/** The wrong part, or what contains it: all of a list, and nothing that the schema itself made from the value. */
function shownPart(setting: Names, tree: unknown, at: Names): Names {
  let part = at;
  while (part.length > setting.length) {
    const outer = valueAt(tree, part.slice(0, -1));
    if (typeof outer === 'object' && outer !== null && !Array.isArray(outer)) break;
    part = part.slice(0, -1);
  }
  return part;
}

function shown(value: unknown): string {
  return maskSecrets(inspect(value, { breakLength: Number.POSITIVE_INFINITY })).slice(0, 100);
}

function begins(names: Names, beginning: Names): boolean {
  return beginning.every((name, index) => names[index] === name);
}

function valueAt(tree: unknown, names: Names): unknown {
  return names.reduce((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], tree);
}
