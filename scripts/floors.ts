import { basename } from 'node:path';

/**
 * The floors of each part of src/, the highest first: folders, and files (without `.ts`) that stand beside them. Imports point
 * downwards; on one floor they may point sideways, but never in a circle. `docs/architecture.md` draws those of the engine.
 */
export type Floors = readonly (readonly string[])[];

export const floors: Readonly<Record<string, Floors>> = {
  engine: [
    // The whole: what programs import, and what opens an engine, its services, or a worker in a process of its own.
    ['index', 'open-engine', 'open-stores', 'register-processors', 'run-services', 'worker-process'],
    // What houses bring.
    ['house'],
    // What people do.
    ['operation', 'backup'],
    // One type for all that is below. Nothing below may name it: a function says which parts it needs.
    ['composition'],
    // Who works.
    ['worker', 'watchdog', 'trace', 'sample', 'simulation', 'schedule', 'webhook', 'health'],
    // What is worked on.
    ['request', 'stage', 'processor', 'backlog', 'results', 'upload', 'usage', 'blob-owners'],
    // What runs once in a cluster, and what is told to everybody.
    ['service', 'outbox', 'event', 'alert', 'audit'],
    // Ports with their adapters, and how to reach them.
    ['ports', 'broker', 'coordination', 'database', 'blobs', 'servers', 'settings', 'local-servers'],
    // Ground: knows nothing of Pismak but its errors, and who calls.
    ['data-directory', 'disk', 'log', 'files', 'network', 'process', 'sandbox', 'turns'],
    ['ground'],
    ['time'],
  ],
  server: [
    // An installation in one process: engine, services, houses, workers, server.
    ['system'],
    ['open-server', 'operations'],
    // What people read: the console, pages, and the description of the API.
    ['console'],
    ['pages', 'openapi'],
    // Addresses.
    ['routes', 'metrics'],
    // Users, sessions, keys.
    ['access'],
    // HTTP, whoever calls and whatever is asked.
    ['http'],
  ],
  terminal: [
    // Commands from operations.
    ['operation-command', 'command-group', 'shell'],
    // What a command works with.
    ['session', 'files', 'results'],
    ['options'],
    ['client', 'exit-codes'],
    ['output'],
  ],
  cli: [
    ['main', 'run-program'],
    ['program', 'engine-commands'],
    ['commands'],
    // What commands start and check, and how they reach a Pismak.
    ['client', 'doctor', 'stack', 'up'],
    ['english-only'],
  ],
  formats: [
    // Documents, which are made of the formats below.
    ['office', 'pdf'],
    ['csv', 'markup', 'zip', 'converted'],
  ],
  transcription: [
    // How it is reached: the house, what programs import.
    ['house', 'index'],
    // What a running engine loads.
    ['parts'],
    // What people do: operations, and commands that call them.
    ['commands', 'operations'],
    // What an engine keeps open.
    ['state'],
    // What returns from the stages, and what viewers read.
    ['collect', 'iiif'],
    // Documents, their pages, limits and downloads; the list of stages.
    ['documents'],
    // Tables; the full text.
    ['database', 'search'],
    // The stages: files in, files out. Nothing from here down knows the database.
    ['split', 'single', 'recognise', 'correct', 'keywords', 'export'],
    // Looking at a page: its shades, lines, regions. Writing one: output formats. Comparing texts.
    ['prepare', 'layout', 'lines', 'formats', 'evaluation'],
    // Pixels, views of them, and words.
    ['image', 'text', 'views'],
    // What travels with a page: its model, its order, the names of its files.
    ['page', 'settings'],
  ],
  robot: [
    // How it is reached: the house, its parts, what programs import.
    ['house', 'index', 'parts'],
    // What people do and see.
    ['commands', 'export', 'operations', 'run-robot', 'about-page', 'metrics', 'progress'],
    // Who works: queuekeepers, harvesters, those who send scans through pipelines; the web of the demo.
    ['keeper', 'harvest', 'scans', 'web'],
    // What is worked on: crawls, batches and what is reported of them, stored segments.
    ['settings', 'crawl', 'batch', 'segments'],
    // Ground: requests over HTTP, text of pages, rules of politeness, tables.
    ['fetch', 'text', 'politeness', 'database'],
  ],
  mail: [
    // How it is reached: the house, its parts, commands, what programs import.
    ['house', 'index', 'parts', 'commands'],
    // What people, readers and the engine ask of it.
    ['operations', 'pages', 'run-mail'],
    // Where mails come from, what comes back, and what is deleted.
    ['campaigns', 'alerts', 'senders', 'inbound', 'retention'],
    // The way of a mail, from its queue to a result.
    ['delivery'],
    // What an engine has open.
    ['opened'],
    // Building a mail, and handing it to a relay.
    ['compose', 'prepare', 'relays'],
    // What mails are built of.
    ['types', 'tokens', 'reports'],
    ['templates'],
    // The formats: MIME and SMTP.
    ['mime', 'smtp', 'sink'],
    // What a mail, a type and an address are; tables; settings.
    ['settings', 'database', 'model'],
  ],
  statistics: [
    // How it is reached: the house, its parts, commands, what programs import.
    ['house', 'index', 'parts', 'commands'],
    // What people, schedules and Pismak's own events do.
    ['operations', 'run-statistics', 'own'],
    // Counting, answering, rolling up.
    ['ingest', 'query', 'rollup'],
    // What an engine has open: cubes through a cache, entities, who may see what.
    ['opened'],
    ['cube', 'entities', 'access'],
    // Where sums are kept: the database, and ClickHouse for large units.
    ['store'],
    // Pure: plans, schemas, columns of sums, days; the tables.
    ['plan', 'schema', 'columns', 'calendar', 'database', 'settings', 'turns'],
  ],
};

/** One import within a part, of values, of types only, or at run time. */
export interface InnerImport {
  file: string;
  target: string;
  kind: string;
}

/** Every import that points upwards, every circle on one floor, and every folder that stands on no floor: one sentence each. */
export function brokenFloors(part: string, storeys: Floors, imports: readonly InnerImport[]): string[] {
  const height = new Map(storeys.flatMap((units, index) => units.map((unit) => [unit, -index] as const)));
  const inner = imports
    .map((one) => ({ ...one, from: unitOf(part, one.file), to: unitOf(part, one.target) }))
    .filter(({ from, to }) => from !== undefined && to !== undefined && from !== to);
  const homeless = new Set(
    inner.flatMap(({ from, to }) => [from ?? '', to ?? '']).filter((unit) => !height.has(unit)),
  );
  const upwards = inner.filter(
    ({ from = '', to = '' }) => (height.get(to) ?? -Infinity) > (height.get(from) ?? Infinity),
  );
  const sideways = inner.filter(({ from = '', to = '' }) => height.get(to) === height.get(from));
  return [
    ...[...homeless].map(
      (unit) => `src/${part}/${unit} stands on no floor: give it one in scripts/floors.ts`,
    ),
    ...upwards.map(
      ({ file, target, kind, from, to }) =>
        `${file}: imports ${target} (${kind}), but ${to} stands above ${from}; take what it needs as a parameter, or move it`,
    ),
    ...circles(sideways).map(
      (units) => `src/${part}: ${units.join(' -> ')} import each other in a circle on one floor`,
    ),
  ];
}

/** The folder, or the file beside the folders, that a file of this part belongs to. */
export function unitOf(part: string, file: string): string | undefined {
  const [src, of, unit] = file.split('/');
  return src === 'src' && of === part && unit !== undefined ? basename(unit, '.ts') : undefined;
}

/** One circle for each import that closes it, depth first. */
function circles(imports: readonly { from: string | undefined; to: string | undefined }[]): string[][] {
  const targets = Map.groupBy(imports, ({ from }) => from ?? '');
  const found: string[][] = [];
  const done = new Set<string>();
  const open: string[] = [];
  const visit = (unit: string) => {
    const start = open.indexOf(unit);
    if (start >= 0) found.push([...open.slice(start), unit]);
    if (start >= 0 || done.has(unit)) return;
    open.push(unit);
    for (const to of new Set((targets.get(unit) ?? []).map(({ to }) => to ?? ''))) visit(to);
    open.pop();
    done.add(unit);
  };
  for (const unit of targets.keys()) visit(unit);
  return found;
}
