import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { compile } from './compile.ts';
import { buildConsole, copyConsolePart } from './console-part.ts';
import { type Manifest, makeManifest, type RootManifest, unclaimed } from './manifest.ts';
import { engineName, listPackages, type PackageParts } from './packages.ts';
import { type Reached, reachable } from './reachable.ts';
import { isOwn, moduleOf, namedIn, renameIn, withoutExtension } from './specifiers.ts';

export interface StagedPackage {
  name: string;
  directory: string;
  manifest: Manifest;
}

/** Compiles the sources and lays out each package in a directory below `work`, ready for `npm pack`. */
export function stagePackages(root: string, work: string): StagedPackage[] {
  const build = join(work, 'build');
  compile(root, build);
  buildConsole(root);
  const rootManifest = readRootManifest(root);
  const packages = listPackages(root, rootManifest.description);
  const code = (module: string) => readFileSync(join(build, `${module}.js`), 'utf8');
  const declarations = (module: string) => readFileSync(join(build, `${module}.d.ts`), 'utf8');
  const fromEngine = packages.flatMap((parts) => takenFromEngine(parts, code));
  const typed = reachable(packages.flatMap(entryModules), declarations);

  const staged = packages.map((parts): StagedPackage => {
    const mine = belongsTo(parts);
    const wanted = parts.name === engineName ? fromEngine : [];
    const run = reachable([...entryModules(parts), ...wanted, ...commandModules(parts)], code, mine);
    const types = reachable([...typed.modules].filter(mine), declarations, mine);
    const directory = join(work, parts.name);
    rmSync(directory, { recursive: true, force: true });
    for (const module of run.modules) put(directory, `${module}.js`, rewritten(module, code(module), mine));
    for (const module of types.modules)
      put(directory, `${module}.d.ts`, rewritten(module, declarations(module), mine));
    copyData(root, parts, directory);
    putCommand(root, parts, directory);
    copyConsolePart(root, parts, directory);
    const own = needsEngine(run, mine, code) ? [engineName] : [];
    const uses = { code: run.foreign, declarations: types.foreign, own };
    const manifest = makeManifest(rootManifest, parts, uses);
    writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    copyTexts(root, parts, directory);
    return { name: parts.name, directory, manifest };
  });
  const lost = unclaimed(
    rootManifest,
    staged.map(({ manifest }) => manifest),
  );
  if (lost.length > 0) throw new Error(`No package imports ${lost.join(', ')}: remove from package.json`);
  return staged;
}

export function readRootManifest(root: string): RootManifest {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as RootManifest;
}

function entryModules({ entries }: PackageParts): string[] {
  return Object.values(entries).map(withoutExtension);
}

function commandModules({ command }: PackageParts): string[] {
  if (command === undefined) return [];
  return [typeof command === 'string' ? withoutExtension(command) : 'cli/main', 'cli/english-only'];
}

/** Whether a module is in a folder of the package. */
function belongsTo({ folders }: PackageParts): (module: string) => boolean {
  return (module) => folders.includes(module.includes('/') ? (module.split('/')[0] ?? '') : '');
}

/** Modules of the engine that a house imports. */
function takenFromEngine(parts: PackageParts, code: (module: string) => string): string[] {
  const mine = belongsTo(parts);
  const { modules } = reachable(entryModules(parts), code, mine);
  return [...modules].flatMap((module) => outside(module, code(module), mine));
}

function needsEngine(
  run: Reached,
  mine: (module: string) => boolean,
  code: (module: string) => string,
): boolean {
  return [...run.modules].some((module) => outside(module, code(module), mine).length > 0);
}

function outside(module: string, text: string, mine: (module: string) => boolean): string[] {
  return namedIn(text)
    .filter(({ specifier }) => isOwn(specifier))
    .map(({ specifier }) => moduleOf(module, specifier))
    .filter((target) => !mine(target));
}

/** Imports end with `.js`, and those that leave the package name the engine's. */
function rewritten(module: string, text: string, mine: (module: string) => boolean): string {
  return renameIn(text, ({ specifier, kind }) => {
    const target = moduleOf(module, specifier);
    if (mine(target)) {
      const path = posix.relative(posix.dirname(module), target);
      return `${path.startsWith('.') ? '' : './'}${path}.js`;
    }
    if (kind !== 'import') throw new Error(`${module} starts ${specifier}, which is in another package`);
    return `${engineName}/internal/${target}.js`;
  });
}

/** Files other than TypeScript: read beside the code, or useful to programs in other languages (request.proto). */
function copyData(root: string, { folders }: PackageParts, directory: string): void {
  for (const folder of folders.filter((name) => name !== '')) {
    const files = globSync(`${folder}/**/*.*`, { cwd: join(root, 'src') });
    for (const file of files.filter((path) => !path.endsWith('.ts') && !path.includes('testing')))
      cpSync(join(root, 'src', file), join(directory, 'dist', file), { recursive: true });
  }
}

function putCommand(root: string, { command }: PackageParts, directory: string): void {
  if (command === undefined) return;
  const template = (name: string) => readFileSync(join(root, 'scripts', 'pack', name), 'utf8');
  put(directory, 'bin.js', template('command.js'), 0o755);
  if (typeof command === 'string') return;
  put(directory, 'main.js', template('engine-main.js').replace('HOUSES', JSON.stringify(command.houses)));
}

function copyTexts(root: string, { name, description }: PackageParts, directory: string): void {
  cpSync(join(root, 'LICENSE'), join(directory, 'LICENSE'));
  cpSync(join(root, 'CHANGELOG.md'), join(directory, 'CHANGELOG.md'));
  const readme = join(directory, 'README.md');
  if (name === 'pismak') cpSync(join(root, 'README.md'), readme);
  else writeFileSync(readme, `# ${name}\n\n${description}. The package \`pismak\` has everything.\n`);
}

function put(directory: string, file: string, text: string, mode = 0o644): void {
  const path = join(directory, 'dist', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}
