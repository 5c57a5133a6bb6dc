import { posix } from 'node:path';
import { brokenFloors, type Floors, floors as floorsOfParts } from './floors.ts';

/** Sources by path from the repository's root, e.g. `src/engine/stage.ts`. */
export type Sources = ReadonlyMap<string, string>;

interface Import {
  file: string;
  /** A path from the root for our own files, else a package or `node:` module. */
  target: string;
  /** `import type` does not exist at run time, and a dynamic import comes later: neither can close a cycle. */
  kind: 'value' | 'type' | 'dynamic';
  names: string;
}

/** What each part of src/ may import besides itself. Every other folder of src/ is a house. */
const below: Readonly<Record<string, readonly string[]>> = {
  engine: [],
  formats: ['engine'],
  terminal: ['engine'],
  server: ['engine', 'formats'],
  cli: ['engine', 'terminal', 'server'],
};
const belowHouses = ['engine', 'formats', 'terminal'];
/** The only file outside the houses that may name them, and what it may see of each. */
const list = 'src/houses.ts';
const front = 'house.ts';

const ports = ['broker', 'coordination', 'database', 'blobs'].map((port) => `src/engine/${port}/`);

/** Drivers and frameworks, and the only places that may know them. */
const owners: Readonly<Record<string, readonly string[]>> = {
  'node:sqlite': [...ports, 'src/engine/data-directory/directory-lock.ts'],
  pg: ports,
  'rabbitmq-client': ['src/engine/broker/'],
  fastify: ['src/server/'],
  commander: ['src/cli/', 'src/terminal/', '/commands/', '/commands.ts'],
};
/** Packages that cost tens of megabytes or a second: loaded on use, never with a house, so that an idle process stays small. */
const heavy =
  /^(eld|undici|mjml|mysql2|sharp|liquidjs|postal-mime|parse5|tesseract\.js|onnxruntime-node|@hyzyla\/pdfium)(\/|$)/;
const dialectParts = /\b\w*(Dialect|Adapter|Driver|QueryCompiler|Introspector)\b/;

/** Everything that breaks a rule, one sentence each. */
export function brokenRules(
  sources: Sources,
  floors: Readonly<Record<string, Floors>> = floorsOfParts,
): string[] {
  const imports = [...sources].flatMap(([file, source]) => importsOf(file, source));
  const ofProduct = imports.filter(({ file, target }) => !isTest(file) && !isTest(target));
  return [
    ...imports.flatMap(brokenBy),
    ...namedHouses(sources),
    ...loadedTooSoon(imports),
    ...cycles(imports),
    ...Object.entries(floors).flatMap(([part, storeys]) => brokenFloors(part, storeys, ofProduct)),
  ];
}

/** Engine, server and command line never name a house: not its tables and queues, and not its settings. */
function namedHouses(sources: Sources): string[] {
  const houses = [...sources.keys()]
    .flatMap((file) => /^src\/([^/]+)\/house\.ts$/.exec(file)?.[1] ?? [])
    .filter(isHouse);
  return houses.flatMap((house) => {
    const name = new RegExp(`['"\`/.]${house}['"\`/._]`, 'i');
    return [...sources]
      .filter(
        ([file, source]) => partOf(file) !== undefined && !isHouse(partOf(file)) && name.test(code(source)),
      )
      .map(([file]) => `${file}: names the house ${house}`);
  });
}

function code(source: string): string {
  return source.replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$/gms, '');
}

function brokenBy(one: Import): string[] {
  const { file, target, names } = one;
  const part = partOf(file);
  const other = partOf(target);
  const broken: string[] = [];
  // A test of a command runs the whole command line.
  const forTests = isTest(file) && isTest(target);
  if (
    isHouse(other) &&
    part !== other &&
    !forTests &&
    !(file === list && target === `src/${other}/${front}`)
  ) {
    broken.push(
      `${file}: ${part ?? file} may not import ${other} (${target}); houses are known to ${list} only`,
    );
  } else if (part !== undefined && other !== undefined && part !== other && !forTests) {
    const allowed = isHouse(part) ? belowHouses : (below[part] ?? []);
    if (!allowed.includes(other)) broken.push(`${file}: ${part} may not import ${other} (${target})`);
  }
  if (!isTest(file)) {
    if (isTest(target)) broken.push(`${file}: imports ${target}, which is there for tests`);
    if (/^pismak(\/|$)/.test(target))
      broken.push(`${file}: ${target} is for programs outside; import the file that has it`);
    const places = owners[target];
    if (
      places &&
      !places.some((place) => (place.startsWith('src/') ? file.startsWith(place) : file.includes(place)))
    ) {
      broken.push(`${file}: ${target} belongs to ${places.join(', ')}`);
    }
    if (target === 'kysely' && dialectParts.test(names) && !file.startsWith('src/engine/database/')) {
      broken.push(`${file}: ${names} of kysely belongs to src/engine/database/`);
    }
  }
  return broken;
}

export function partOf(path: string): string | undefined {
  const [, part] = /^src\/([^/]+)\//.exec(path) ?? [];
  return part;
}

export function isHouse(part: string | undefined): boolean {
  return part !== undefined && !(part in below);
}

export function isTest(path: string): boolean {
  return /\.test\.ts$|\/testing\//.test(path);
}

function importsOf(file: string, source: string): Import[] {
  const found: Import[] = [];
  const add = (target: string, kind: Import['kind'], names: string) => {
    const own = target.startsWith('.') ? posix.join(posix.dirname(file), target) : target;
    found.push({ file, target: own, kind, names: names.replaceAll(/\s+/g, ' ') });
  };
  for (const match of source.matchAll(
    /^(?:import|export)\s+(type\s+)?([^;'"]*?)\s*from\s*['"]([^'"]+)['"]/gm,
  )) {
    add(match[3] ?? '', match[1] === undefined ? 'value' : 'type', match[2] ?? '');
  }
  for (const match of source.matchAll(/^import\s*['"]([^'"]+)['"]/gm)) add(match[1] ?? '', 'value', '');
  for (const match of source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g))
    add(match[1] ?? '', 'dynamic', '');
  return found;
}

/** Heavy packages that come with `parts.ts` of a house, which every `up` loads. */
function loadedTooSoon(imports: readonly Import[]): string[] {
  const values = Map.groupBy(
    imports.filter((one) => one.kind === 'value'),
    (one) => one.file,
  );
  const found: string[] = [];
  for (const start of values.keys()) {
    if (!/^src\/[^/]+\/parts\.ts$/.test(start)) continue;
    const seen = new Set([start]);
    // A set goes on to what is added while it is read.
    for (const file of seen) {
      for (const { target } of values.get(file) ?? []) {
        if (heavy.test(target))
          found.push(`${file}: ${target} would be loaded with ${start}; import it on use`);
        else seen.add(target);
      }
    }
  }
  return found;
}

/** Each cycle once, by the path that closes it: depth first, files on the present path are `open`. */
function cycles(imports: readonly Import[]): string[] {
  const targets = Map.groupBy(
    imports.filter((one) => one.kind === 'value' && one.target.startsWith('src/')),
    (one) => one.file,
  );
  const found: string[] = [];
  const done = new Set<string>();
  const open: string[] = [];
  const visit = (file: string) => {
    const start = open.indexOf(file);
    if (start >= 0) found.push(`cycle: ${[...open.slice(start), file].join(' -> ')}`);
    if (start >= 0 || done.has(file)) return;
    open.push(file);
    for (const { target } of targets.get(file) ?? []) visit(target);
    open.pop();
    done.add(file);
  };
  for (const file of targets.keys()) visit(file);
  return found;
}
