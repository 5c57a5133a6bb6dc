import type { PackageParts } from './packages.ts';

/** The parts of the root package.json that packages use. */
export interface RootManifest {
  version: string;
  description: string;
  license: string;
  engines: Record<string, string>;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

export interface Manifest {
  name: string;
  version: string;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  [field: string]: unknown;
}

/** Only a checkout needs them: Node for systems whose own is too old. */
const checkoutOnly = /^node-linux-/;

export function makeManifest(
  root: RootManifest,
  parts: PackageParts,
  uses: { code: Iterable<string>; declarations: Iterable<string>; own: readonly string[] },
): Manifest {
  const needed = new Set([...packagesIn(uses.code, root), ...packagesIn(uses.declarations, root)]);
  for (const name of packagesIn(uses.declarations, root)) {
    const types = `@types/${name.replace(/^@/, '').replace('/', '__')}`;
    if (versionOf(root, types)) needed.add(types);
  }
  const pick = (versions: Record<string, string>) =>
    Object.fromEntries(Object.entries(versions).filter(([name]) => needed.has(name)));
  return {
    name: parts.name,
    version: root.version,
    description: parts.description,
    license: root.license,
    type: 'module',
    engines: root.engines,
    ...(parts.command ? { bin: { pismak: 'dist/bin.js' } } : {}),
    exports: {
      ...Object.fromEntries(
        Object.entries(parts.entries).map(([name, source]) => [name, exported(`./dist/${source}`)]),
      ),
      // For the houses' packages, which are always of the same version.
      ...(parts.name === 'pismak-engine' ? { './internal/*': './dist/*' } : {}),
      './package.json': './package.json',
    },
    files: ['dist', 'CHANGELOG.md'],
    dependencies: {
      ...Object.fromEntries(uses.own.map((name) => [name, root.version])),
      ...pick(root.dependencies),
    },
    optionalDependencies: pick(root.optionalDependencies),
    // Declarations refer to Node's types; programs in JavaScript don't need them.
    peerDependencies: { '@types/node': root.engines.node ?? '*' },
    peerDependenciesMeta: { '@types/node': { optional: true } },
  };
}

/** Names in the root's package.json that belong to no package: a sign of an overlooked import. */
export function unclaimed(root: RootManifest, manifests: readonly Manifest[]): string[] {
  return [...Object.keys(root.dependencies), ...Object.keys(root.optionalDependencies)].filter(
    (name) =>
      !checkoutOnly.test(name) &&
      !name.startsWith('@types/') &&
      !manifests.some((each) => name in each.dependencies || name in each.optionalDependencies),
  );
}

function exported(source: string): { types: string; default: string } {
  return { types: source.replace(/\.ts$/, '.d.ts'), default: source.replace(/\.ts$/, '.js') };
}

/** `@scope/name/file` is of `@scope/name`; `@scope/${x}` may be any of that scope. Unknown names are an error. */
function packagesIn(specifiers: Iterable<string>, root: RootManifest): string[] {
  const known = [...Object.keys(root.dependencies), ...Object.keys(root.optionalDependencies)];
  return [...specifiers].flatMap((specifier) => {
    const [fixed = '', ...open] = specifier.split('${');
    const found =
      open.length > 0
        ? known.filter((name) => name.startsWith(fixed))
        : known.filter((name) => fixed === name || fixed.startsWith(`${name}/`));
    if (found.length > 0) return found;
    throw new Error(`The code imports ${specifier}, which package.json does not list as a dependency`);
  });
}

function versionOf(root: RootManifest, name: string): string | undefined {
  return root.dependencies[name] ?? root.optionalDependencies[name];
}
