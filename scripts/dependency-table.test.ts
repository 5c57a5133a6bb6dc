import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const manifests = ['package.json', 'web/package.json'].map((path) =>
  JSON.parse(readFileSync(join(root, path), 'utf8')),
);
const architecture = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');

/** The names in the first column: `optional: pg, rabbitmq-client`. */
function listed(page: string): string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith('Dependencies\n')) ?? '';
  const rows = [...section.matchAll(/^\| (?:[a-z]+: )?([^|]+) \|/gm)].map(([, names = '']) => names);
  return rows.slice(1).flatMap((names) => names.split(', '));
}

/** Sentences about packages without a row, and rows without a package. Types belong to the row of their package. */
function faults(page: string, packages: readonly string[]): string[] {
  const rows = listed(page);
  const isRowOf = (row: string, name: string) =>
    row === name || (row.endsWith('/*') && name.startsWith(row.slice(0, -1)));
  const typed = (name: string) => name.replace(/^@types\//, '');
  return [
    ...packages
      .filter((name) => !rows.some((row) => isRowOf(row, name) || isRowOf(row, typed(name))))
      .map((name) => `${name} has no row`),
    ...rows
      .filter((row) => !packages.some((name) => isRowOf(row, name)))
      .map((row) => `${row} is not in package.json`),
  ];
}

test('the table of dependencies lists every package of package.json, and nothing else', () => {
  const packages = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies = {} }) =>
    [dependencies, devDependencies, optionalDependencies].flatMap(Object.keys),
  );
  assert.ok(packages.length > 40);
  assert.deepEqual(faults(architecture, packages), []);
});

test('a package without a row and a row without a package are found', () => {
  const page =
    '## Dependencies\n\n| package | for |\n|---|---|\n| pg | a |\n| optional: gone, @f/* | b |\n\n## Next\n\n| zod | c |\n';
  assert.deepEqual(faults(page, ['pg', '@types/pg', '@f/one', 'zod']), [
    'zod has no row',
    'gone is not in package.json',
  ]);
});
