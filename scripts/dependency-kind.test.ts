import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { namedIn } from './pack/specifiers.ts';

const root = join(import.meta.dirname, '..');

/** `npm start` installs dependencies and optionalDependencies, nothing else: `needed` are the modules that running imports. */
function faults(needed: ReadonlySet<string>, installed: readonly string[]): string[] {
  // `@scope/${name}` may be any package of that scope.
  const isOf = (name: string, [fixed = '', ...open]: string[]) =>
    open.length > 0 ? name.startsWith(fixed) : fixed === name || fixed.startsWith(`${name}/`);
  const specifiers = [...needed].map((specifier) => specifier.split('${'));
  return [
    ...specifiers
      .filter((specifier) => !installed.some((name) => isOf(name, specifier)))
      .map(([name]) => `running needs ${name}: it belongs to dependencies or optionalDependencies`),
    ...installed
      .filter((name) => !specifiers.some((specifier) => isOf(name, specifier)))
      .map((name) => `running doesn't need ${name}: it belongs to devDependencies`),
  ];
}

function productImports(): Set<string> {
  const files = globSync('src/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts') && !file.includes('/testing/'),
  );
  assert.ok(files.length > 500, `only ${files.length} sources found`);
  const named = files.flatMap((file) => namedIn(readFileSync(join(root, file), 'utf8')));
  return new Set(
    named
      .filter(({ specifier, kind }) => kind !== 'url' && !/^(\.|node:)/.test(specifier))
      .map(({ specifier }) => specifier),
  );
}

test('npm start installs every package that running imports, and none that only tests or benchmarks do', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const installed = [dependencies, optionalDependencies]
    .flatMap(Object.keys)
    // Node itself, and types of the packages that others install.
    .filter((name) => !/^(node-linux-|@types\/)/.test(name));
  assert.deepEqual(faults(productImports(), installed), []);
});

test('a package in the wrong list is found', () => {
  const needed = new Set(['zod/v4/core', `@data/\${language}`, 'bullmq']);
  assert.deepEqual(faults(needed, ['zod', '@data/ces', 'fast-check']), [
    'running needs bullmq: it belongs to dependencies or optionalDependencies',
    "running doesn't need fast-check: it belongs to devDependencies",
  ]);
});
