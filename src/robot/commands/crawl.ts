import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { hasCode, PismakError } from '../../engine/ground/errors.ts';
import type { Client } from '../../terminal/client/client.ts';
import { reachableHolder } from '../../terminal/client/reachable-holder.ts';
import { tellAlerts } from '../../terminal/client/tell-alerts.ts';
import { openOutputDirectory } from '../../terminal/files/output-directory.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Session } from '../../terminal/session.ts';
import type { Shell } from '../../terminal/shell.ts';
import { checkUnused, writeState } from '../export/export-files.ts';
import { robotNew, robotResume, robotStart, robotStatus } from '../operations/crawls.ts';
import { robotOptions } from '../operations/reading.ts';
import { crawlIn } from './crawl-export.ts';
import {
  addCrawlOptions,
  optionsInSettings,
  readCrawlOptions,
  readHarvesters,
  readSeeds,
} from './crawl-options.ts';
import { followCrawl } from './follow-crawl.ts';
import { statisticsFields } from './show-crawl.ts';

export interface CrawlCommandOptions {
  output: string;
  harvesters?: number;
  logLevel?: LogLevel;
}

const logLevels = ['error', 'warn', 'info', 'debug'] as const;
type LogLevel = (typeof logLevels)[number];

/** `pismak robot crawl`: creates, runs and exports a crawl with one command. */
export function addCrawl(group: Command, shell: Shell): void {
  const command = shell
    .command(
      group,
      'crawl <seeds...>',
      'Crawl with one command: addresses in; text, vertical, JSON lines and WARC out',
      "robot crawl seeds.txt --include '\\.cz$' --depth 5 --contact https://example.org/robot -o corpus/",
      'robot crawl http://localhost:8080/ --allow-private --req-delay 0 --general-pause 0 --max-hosts 8 -o corpus/',
    )
    .requiredOption('-o, --output <directory>', 'where the corpus goes')
    .addOption(
      new Option(
        '--log-level <level>',
        'how much to log; debug adds links, domains, addresses and batches',
      ).choices(logLevels),
    )
    .option('--harvesters <number>', 'number of threads that fetch and clean pages, or auto', readHarvesters);
  addCrawlOptions(command).addHelpText(
    'after',
    '\nSeeds are addresses, or files with one address per line. The state is in OUTPUT/.pismak, or in the directory that --data names.\n' +
      'Stop with Ctrl-C at any time. The same command continues the crawl, even after a crash.',
  );
  command.action(
    shell.run<CrawlCommandOptions, [string[]]>(async (session, words) => {
      const seeds = await readSeeds(words);
      const options = {
        ...(session.remote ? {} : optionsInSettings(await session.settings())),
        ...(await readCrawlOptions(session.options as unknown as Record<string, unknown>)),
      };
      const definition = { ...options, seeds };
      const { client, close } = await openWork(session, definition);
      try {
        const { stopped } = await crawlInto(session, client, definition);
        if (stopped) session.stderr.write('stopped; run the same command again to continue\n');
      } finally {
        await close();
      }
    }),
  );
}

/** Starts or continues the crawl of an output directory, and follows it to its end. */
export async function crawlInto(
  session: Session<CrawlCommandOptions>,
  client: Client,
  definition: { seeds: string[] } & Record<string, unknown>,
): Promise<{ stopped: boolean }> {
  const { out, options } = session;
  const directory = resolve(options.output);
  const crawl = await findOrCreate(client, directory, definition);
  const alerts = tellAlerts(session, client);
  const {
    crawl: ended,
    output,
    stopped,
  } = await followCrawl(session, client, { crawl, directory }).finally(() => alerts.close());
  if (stopped) return { stopped };
  if (out.json) out.object(ended);
  else {
    out.object(ended, statisticsFields(ended));
    out.say(`${formatCount(output.pages, 'page')} written to ${options.output}`);
  }
  return { stopped };
}

async function findOrCreate(
  client: Client,
  directory: string,
  definition: { seeds: string[] } & Record<string, unknown>,
): Promise<string> {
  const known = await crawlIn(directory);
  if (known !== undefined) {
    const before = await client.call(robotStatus, { crawl: known }).catch((error: unknown) => {
      if (hasCode(error, 'not-found')) return undefined;
      throw error;
    });
    if (before) {
      await checkSameOptions(client, known, definition);
      if (before.state === 'paused' || before.state === 'stopped')
        await client.call(robotResume, { crawl: known });
      if (before.state === 'new') await client.call(robotStart, { crawl: known });
      return known;
    }
  }
  await checkUnused(directory);
  const id = await create(client, directory, definition);
  await writeState(directory, { crawl: id, after: 0, files: {} });
  await client.call(robotStart, { crawl: id });
  return id;
}

/** Refuses changed options: a crawl keeps those that it was started with. */
async function checkSameOptions(
  client: Client,
  crawl: string,
  { seeds, resolve: _, ...said }: { seeds: string[] } & Record<string, unknown>,
): Promise<void> {
  const options: Record<string, unknown> = await client.call(robotOptions, { crawl });
  const refuse = (what: string) => {
    throw new PismakError(
      'conflict',
      `the crawl in this directory was started with ${what}, which can't be changed: continue it with the same command, or choose another directory with -o`,
    );
  };
  for (const [name, value] of Object.entries(said))
    if (JSON.stringify(options[name]) !== JSON.stringify(value))
      refuse(`${name} = ${JSON.stringify(options[name])}`);
  if (options.seeds !== seeds.length) refuse(formatCount(Number(options.seeds), 'seed'));
}

/** Creates a crawl named after its directory, or if that name is taken, `corpus 2`, `corpus 3`. */
async function create(
  client: Client,
  directory: string,
  definition: { seeds: string[] } & Record<string, unknown>,
): Promise<string> {
  const plain = basename(directory)
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '');
  const base = plain.slice(0, 60) || 'crawl';
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base} ${number}`;
    try {
      return (await client.call(robotNew, { name, ...definition })).id;
    } catch (error) {
      if (!hasCode(error, 'already-exists')) throw error;
    }
  }
}

/** Opens the engine that does the work: another machine, the process that holds the data directory, or this process. */
async function openWork(
  session: Session<CrawlCommandOptions>,
  definition: { seeds: string[]; scans?: unknown },
): Promise<{ client: Client; close(): Promise<void> }> {
  const { clock, signal, options } = session;
  const elsewhere = async () => {
    await openOutputDirectory(options.output);
    return { client: await session.client(), close: async () => {} };
  };
  if (session.remote) return elsewhere();
  const loaded = await session.settings();
  const own = loaded.origins.get('data') === 'default';
  const data = own ? join(options.output, '.pismak') : loaded.settings.data;
  if (!own && existsSync(data) && (await reachableHolder(data, clock, signal))) return elsewhere();
  const { harvesters, logLevel } = options;
  const section = (loaded.settings as unknown as { robot?: { scans?: string } }).robot;
  const settings = {
    ...loaded.settings,
    data,
    ...(logLevel !== undefined && { log: { ...loaded.settings.log, level: logLevel } }),
    ...(harvesters !== undefined && { robot: { ...section, harvesters } }),
  };
  const readsScans = (definition.scans ?? '') !== '';
  const { count } = loaded.settings.worker;
  if (readsScans && count === 0)
    throw new PismakError(
      'invalid-input',
      'no worker would read the scans: set worker.count above 0, or leave out --scans',
    );
  // Check first, so that a refused crawl leaves no directory behind.
  const [{ checkDefinition }, { crawlDefinition }] = await Promise.all([
    import('../crawl/crawls.ts'),
    import('../crawl/options.ts'),
  ]);
  await checkDefinition(crawlDefinition.parse(definition), 'local');
  await openOutputDirectory(options.output);
  // Only the pipeline that reads scans needs workers.
  const workers = readsScans ? count : 0;
  const client = await session.openWork({ settings, purpose: 'pismak robot crawl', workers });
  return { client, close: () => client.close() };
}
