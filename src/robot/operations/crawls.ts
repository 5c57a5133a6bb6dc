import { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Caller } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { sectionOf } from '../../engine/house.ts';
import { defineOperation } from '../../engine/operation/operation.ts';
import { done } from '../../engine/operation/operations/rows.ts';
import { withoutDefaults } from '../../engine/operation/without-defaults.ts';
import { type CrawlDefinition, crawlDefinition } from '../crawl/options.ts';
import { robotDatabase } from '../database/tables.ts';
import { robotSection } from '../settings/settings.ts';
import { crawlId, crawlName, crawlRow, crawlStates, ownerOfCrawl, someCrawl, toRow } from './rows.ts';

const one = z.strictObject({ crawl: crawlId });
const changing = { role: 'user', owner: ownerOfCrawl, changes: true } as const;

/** Options that the call omits default to `[robot]` in the settings. */
const partial = z.strictObject({
  name: crawlName,
  ...withoutDefaults(crawlDefinition),
  seeds: crawlDefinition.shape.seeds,
});

export const robotNew = defineOperation({
  name: 'robot.new',
  summary: 'Define a crawl; it waits until it is started',
  role: 'user',
  owner: 'caller',
  changes: true,
  stores: true,
  bodyLimit: 4_000_000,
  input: partial,
  output: z.strictObject({ id: z.string() }),
  example: {
    name: 'Czech',
    seeds: ['https://www.example.cz/'],
    include: '\\.cz$',
    depth: 5,
    contact: 'https://www.example.org/robot',
  },
  async handler({ engine, caller }, { name, ...given }) {
    const { createCrawl } = await import('../crawl/crawls.ts');
    const {
      harvesters: _,
      lease: __,
      crawls,
      fastest,
      ...defaults
    } = sectionOf(engine.settings, robotSection);
    const definition = crawlDefinition.parse({ ...defaults, ...given });
    checkRights(caller, definition, { ...defaults, fastest });
    await checkScans(engine, caller, definition.scans);
    const limit = caller.role === 'admin' ? 0 : crawls;
    return createCrawl(engine, { name, owner: caller.name, limit }, definition);
  },
});

async function checkScans(
  { pipelines }: Engine,
  { name: owner, role }: Caller,
  scans: string,
): Promise<void> {
  if (scans !== '' && !(await pipelines.find(scans, { owner, role })))
    throw new PismakError(
      'not-found',
      `there is no pipeline ${scans} (scans); \`pismak pipeline ls\` lists them`,
    );
}

/** A harvester has many pages in memory at once. */
const largestPagesMb = 50;
/** An address with many hosts gets up to this many requests at once. */
const mostHostsAtOnce = 10;
/** An overloaded server must be left alone for at least this long. */
const shortestBlockS = 60;

/** Only administrators may use options that could harm others through this installation. */
function checkRights(
  caller: Caller,
  definition: CrawlDefinition,
  {
    fastest,
    segmenter,
    pageLimitMb,
    maxHosts,
    blockFor,
  }: Pick<CrawlDefinition, 'segmenter' | 'pageLimitMb' | 'maxHosts' | 'blockFor'> & { fastest: number },
): void {
  if (caller.role === 'admin') return;
  const refuse = (what: string) => {
    throw new PismakError('forbidden', `only administrators may ${what}`);
  };
  if (definition.allowPrivate) refuse('crawl private addresses (allowPrivate)');
  if (Object.keys(definition.resolve).length > 0) refuse('give the addresses of hosts (resolve)');
  // This server would post pages to any address in its network.
  if (definition.segmenter !== '' && definition.segmenter !== segmenter)
    refuse('choose a segmenter other than robot.segmenter in the settings');
  if (definition.reqDelay < fastest) refuse(`choose a reqDelay below ${fastest} s (robot.fastest)`);
  const mostHosts = Math.max(maxHosts, mostHostsAtOnce);
  if (definition.maxHosts > mostHosts) refuse(`choose a maxHosts above ${mostHosts}`);
  const shortest = Math.min(blockFor, shortestBlockS);
  if (definition.blockFor < shortest) refuse(`choose a blockFor below ${shortest} s`);
  if (definition.pageLimitMb > Math.max(pageLimitMb, largestPagesMb))
    refuse(`choose a pageLimitMb above ${Math.max(pageLimitMb, largestPagesMb)}`);
}

export const robotList = defineOperation({
  name: 'robot.ls',
  summary: 'List crawls, the newest first',
  role: 'reader',
  owner: 'caller',
  changes: false,
  audited: true,
  input: z.strictObject({
    state: z.enum(crawlStates).optional().describe('Only crawls in this state'),
    name: z.string().max(100).optional().describe('Only the crawl with this name'),
    limit: z.int().min(1).max(1000).default(100).describe('Maximum number of crawls'),
  }),
  output: z.strictObject({ crawls: z.array(crawlRow) }),
  example: { state: 'running' },
  async handler({ engine, caller }, { state, name, limit }) {
    const { scansWaiting } = await import('../scans/scan-list.ts');
    const database = robotDatabase(engine);
    let query = database.query.selectFrom('robot_crawl').selectAll();
    if (caller.role !== 'admin') query = query.where('owner', '=', caller.name);
    if (state !== undefined) query = query.where('state', '=', state);
    if (name !== undefined) query = query.where('name', '=', name);
    const rows = await query.orderBy('number', 'desc').limit(limit).execute();
    const waiting = await scansWaiting(database.query, rows);
    return { crawls: rows.map((row) => toRow(row, waiting)) };
  },
});

export const robotStatus = defineOperation({
  name: 'robot.status',
  summary: 'Show what a crawl has done and what it is doing',
  role: 'reader',
  owner: ownerOfCrawl,
  changes: false,
  input: one,
  output: crawlRow,
  example: { crawl: someCrawl },
  async handler({ engine, caller }, { crawl }) {
    const { findCrawl } = await import('../crawl/crawls.ts');
    const { scansWaiting } = await import('../scans/scan-list.ts');
    const { query } = robotDatabase(engine);
    const row = await findCrawl(query, crawl, caller.name);
    return toRow(row, await scansWaiting(query, [row]));
  },
});

const stateOperation = (verb: string, summary: string, state: 'running' | 'paused' | 'stopped') =>
  defineOperation({
    ...changing,
    name: `robot.${verb}`,
    summary,
    input: one,
    output: done,
    example: { crawl: someCrawl },
    async handler({ engine, caller }, { crawl }) {
      const { changeState } = await import('../crawl/crawls.ts');
      await changeState(engine, { crawl, owner: caller.name }, state);
      return {};
    },
  });

export const robotStart = stateOperation('start', 'Start a crawl', 'running');
export const robotPause = stateOperation(
  'pause',
  'Pause a crawl: requests under way end, no new ones begin',
  'paused',
);
export const robotResume = stateOperation('resume', 'Resume a crawl that was paused or stopped', 'running');
export const robotStop = stateOperation('stop', 'Stop a crawl; it can be resumed', 'stopped');

export const robotRevisit = defineOperation({
  ...changing,
  name: 'robot.revisit',
  summary: 'Visit the pages of a finished or stopped crawl again',
  heavy: 'work',
  deadlineMs: 300_000,
  input: z.strictObject({
    crawl: crawlId,
    days: z
      .number()
      .min(0)
      .max(36_500)
      .default(0)
      .describe('Only pages that were fetched at least this many days ago'),
  }),
  output: z.strictObject({ pages: z.number() }),
  example: { crawl: someCrawl, days: 7 },
  async handler({ engine, caller }, { crawl, days }) {
    const { revisitCrawl } = await import('../crawl/crawls.ts');
    const fetchedBefore = engine.clock.now() - Math.round(days * 86_400_000);
    return { pages: await revisitCrawl(engine, { crawl, owner: caller.name }, fetchedBefore) };
  },
});

export const robotDelete = defineOperation({
  ...changing,
  name: 'robot.delete',
  summary: 'Delete a crawl and everything that it has stored',
  input: one,
  output: done,
  example: { crawl: someCrawl },
  heavy: 'work',
  deadlineMs: 300_000,
  async handler({ engine, caller }, { crawl }) {
    const { deleteCrawl } = await import('../crawl/crawls.ts');
    const { id } = await deleteCrawl(engine, { crawl, owner: caller.name });
    await engine.alerts.clear('robot.set-aside', id);
    return {};
  },
});
