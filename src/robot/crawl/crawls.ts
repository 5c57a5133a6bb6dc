import { isIP } from 'node:net';
import { disown, disownOne } from '../../engine/blob-owners/blob-owners.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import { chunks } from '../../engine/ground/chunks.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { newId } from '../../engine/ground/identity.ts';
import { type CrawlRow, domainIds, type Queries, requestState, robotDatabase } from '../database/tables.ts';
import { segmentOwner } from '../segments/segment-list.ts';
import { tellChange } from './changes.ts';
import { checkExpressions } from './expression.ts';
import { judgeUrls } from './judge-urls.ts';
import { type CrawlDefinition, readDefinition } from './options.ts';

import { noStatistics } from './statistics.ts';

/**
 * A crawl is
 *
 * - `new` after `createCrawl`; it waits for `start`;
 * - `running` after start, resume or revisit: a queuekeeper plans batches and harvesters carry them out;
 * - `paused` by its owner: batches under way end, no new ones begin, and it can be resumed;
 * - `stopped` by its owner, with its owner's account, or by the keeper after the number of batches in its options; it can be resumed too;
 * - `finished` by the keeper when nothing is left to do; only a revisit starts it again.
 *
 * It can be deleted in any state but `running`, once its last batch has ended.
 */
type CrawlEngine = Pick<Engine, 'database' | 'clock' | 'changes' | 'events'>;

/** Stores a crawl that waits for its start. */
export async function createCrawl(
  engine: CrawlEngine,
  { name, owner, limit }: { name: string; owner: string; limit: number },
  definition: CrawlDefinition,
): Promise<{ id: string }> {
  await checkDefinition(definition, owner);
  const { clock } = engine;
  const id = newId(clock);
  await robotDatabase(engine).transaction(async (transaction) => {
    const [last, own] = await Promise.all([
      transaction
        .selectFrom('robot_crawl')
        .select(({ fn }) => fn.max('number').as('number'))
        .executeTakeFirst(),
      transaction.selectFrom('robot_crawl').select('name').where('owner', '=', owner).execute(),
    ]);
    if (own.some((crawl) => crawl.name === name))
      throw new PismakError(
        'already-exists',
        `there is a crawl ${name} already; choose another name, or delete it`,
      );
    if (limit > 0 && own.length >= limit)
      throw new PismakError(
        'quota-exceeded',
        `${owner} has ${own.length} crawls; the limit is ${limit} (robot.crawls)`,
      );
    const crawl: CrawlRow = {
      id,
      name,
      owner,
      number: Number(last?.number ?? 0) + 1,
      state: 'new',
      fence: 0,
      options: JSON.stringify(definition),
      statistics: JSON.stringify(noStatistics()),
      createdAt: clock.now(),
      startedAt: null,
      finishedAt: null,
    };
    await transaction.insertInto('robot_crawl').values(crawl).execute();
  });
  tellChange(engine.changes, { id, owner, state: 'new' });
  return { id };
}

/** Refuses a crawl that could never fetch or keep anything, or that hides who crawls. */
export async function checkDefinition(definition: CrawlDefinition, owner: string): Promise<void> {
  if (definition.contact === '' && !definition.allowPrivate)
    throw new PismakError(
      'invalid-input',
      'contact is missing: give the address of a page where server administrators learn who crawls and how to reach you',
    );
  if (!definition.text && !definition.warc)
    throw new PismakError('invalid-input', 'nothing would be kept: leave out --no-text or --no-warc');
  if (/\d/.test(definition.agent))
    throw new PismakError(
      'invalid-input',
      `agent ${definition.agent} has digits, so no robots.txt can name it (RFC 9309): use letters, _ and -`,
    );
  for (const [host, addresses] of Object.entries(definition.resolve))
    for (const address of addresses)
      if (!isIP(address))
        throw new PismakError('invalid-input', `resolve: ${address} (for ${host}) is not an IP address`);
  const { include, exclude, seeds } = definition;
  let firstRefusal: string | undefined;
  let isAnyAccepted = false;
  for (const [index, { url, refusal }] of (await judgeUrls({ include, exclude, owner }, seeds)).entries()) {
    if (url === undefined)
      throw new PismakError('invalid-input', `seed ${seeds[index]} is not an http or https address`);
    if (refusal === undefined) isAnyAccepted = true;
    else firstRefusal ??= `${url} (${refusal})`;
  }
  if (!isAnyAccepted)
    throw new PismakError('invalid-input', `the crawl would skip every seed, such as ${firstRefusal}`);
}

const allowed: Record<'running' | 'paused' | 'stopped', readonly CrawlRow['state'][]> = {
  running: ['new', 'paused', 'stopped'],
  paused: ['running'],
  stopped: ['new', 'running', 'paused'],
};

function impossibleChange(
  { name, state }: Pick<CrawlRow, 'name' | 'state'>,
  wanted: keyof typeof allowed,
): string {
  const change = { running: 'resumed', paused: 'paused', stopped: 'stopped' }[wanted];
  const advice =
    state === 'finished' && wanted === 'running' ? '; `robot revisit` visits its pages again' : '';
  return `crawl ${name} is ${state} and can't be ${change}${advice}`;
}

/** Starts, resumes, pauses or stops a crawl. Changes nothing if the crawl is in that state already. */
export async function changeState(
  engine: CrawlEngine,
  named: { crawl: string; owner: string },
  state: 'running' | 'paused' | 'stopped',
): Promise<CrawlRow> {
  const now = engine.clock.now();
  const crawl = await robotDatabase(engine).transaction(async (transaction) => {
    const before = await findCrawl(transaction, named.crawl, named.owner);
    if (before.state === state) return before;
    if (!allowed[state].includes(before.state))
      throw new PismakError('conflict', impossibleChange(before, state));
    // A crawl of an earlier version, which took any expression.
    if (state === 'running') checkExpressions(readDefinition(before.options));
    const changes = { state, ...(state === 'running' && before.startedAt === null && { startedAt: now }) };
    await transaction.updateTable('robot_crawl').set(changes).where('id', '=', before.id).execute();
    // Other crawls need not wait for its turns.
    if (state !== 'running') await forgetInterest(transaction, Number(before.number));
    else await restoreInterest(transaction, Number(before.number));
    return { ...before, ...changes };
  });
  tellChange(engine.changes, crawl);
  tellEvent(engine, crawl);
  return crawl;
}

/** Stops the crawls of a user who is deleted: nobody answers for them any more. What they have stored stays. */
export async function stopCrawlsOf(engine: CrawlEngine, owner: string): Promise<void> {
  const rows = await robotDatabase(engine)
    .query.selectFrom('robot_crawl')
    .select('id')
    .where('owner', '=', owner)
    .where('state', 'in', ['running', 'paused'])
    .execute();
  for (const { id } of rows) await changeState(engine, { crawl: id, owner }, 'stopped');
}

/**
 * Queues every page that was last fetched before a moment, and starts the crawl. The robot asks servers whether a page has changed since, and
 * stores a changed page beside its old version. Hosts that were given up are tried again. Resolves to the number of queued pages.
 */
export async function revisitCrawl(
  engine: CrawlEngine,
  named: { crawl: string; owner: string },
  fetchedBefore: number,
): Promise<number> {
  const { crawl, pages } = await robotDatabase(engine).transaction(async (transaction) => {
    const before = await findCrawl(transaction, named.crawl, named.owner);
    await refuseAtWork(transaction, before, 'wait until it is finished, or stop it');
    checkExpressions(readDefinition(before.options));
    const { from, to } = domainIds(Number(before.number));
    const { numUpdatedRows } = await transaction
      .updateTable('robot_request')
      .set({ state: requestState.queued, attempts: 0 })
      .where('domain', '>=', from)
      .where('domain', '<', to)
      .where('state', '=', requestState.done)
      .where('status', '=', 200)
      .where('fetchedAt', '<=', fetchedBefore)
      .executeTakeFirst();
    const retried = await retryLost(transaction, Number(before.number));
    await transaction
      .updateTable('robot_domain')
      .set(({ selectFrom }) => ({
        queued: selectFrom('robot_request')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .whereRef('robot_request.domain', '=', 'robot_domain.id')
          .where('robot_request.state', '=', requestState.queued),
      }))
      .where('crawl', '=', before.number)
      .execute();
    const changes = { state: 'running', finishedAt: null } as const;
    await transaction.updateTable('robot_crawl').set(changes).where('id', '=', before.id).execute();
    await restoreInterest(transaction, Number(before.number));
    return { crawl: { ...before, ...changes }, pages: Number(numUpdatedRows) + retried };
  });
  tellChange(engine.changes, crawl);
  tellEvent(engine, crawl);
  return pages;
}

/** Refuses to touch the pages of a crawl that runs, or of one whose last batches are still under way. */
async function refuseAtWork(
  transaction: Queries,
  { name, number, state }: CrawlRow,
  advice: string,
): Promise<void> {
  const open = await transaction
    .selectFrom('robot_batch')
    .select('id')
    .where('crawl', '=', number)
    .limit(1)
    .execute();
  if (state === 'running' || open.length > 0)
    throw new PismakError('conflict', `crawl ${name} is at work: ${advice}`);
}

async function retryLost(transaction: Queries, crawl: number): Promise<number> {
  const isLost = { crawl, state: 'lost' } as const;
  const { numUpdatedRows } = await transaction
    .updateTable('robot_request')
    .set({ state: requestState.queued, attempts: 0, outcome: null })
    .where('state', '=', requestState.failed)
    .where('domain', 'in', ({ selectFrom }) =>
      selectFrom('robot_domain')
        .select('id')
        .where(({ and }) => and(isLost)),
    )
    .executeTakeFirst();
  await transaction
    .updateTable('robot_domain')
    .set({ state: 'new', problem: null, blockLevel: 0, blockedUntil: 0, robotsAt: 0 })
    .where(({ and }) => and(isLost))
    .execute();
  return Number(numUpdatedRows);
}

/** Called by the keeper when nothing is left to do, or when it has made as many batches as it may. */
export async function finishCrawl(
  engine: CrawlEngine,
  id: string,
  { fence, state }: { fence: number; state: 'finished' | 'stopped' },
): Promise<void> {
  const finishedAt = engine.clock.now();
  const crawl = await robotDatabase(engine).transaction(async (transaction) => {
    const [row] = await transaction
      .updateTable('robot_crawl')
      .set({ state, ...(state === 'finished' && { finishedAt }) })
      .where('id', '=', id)
      .where('state', '=', 'running')
      .where('fence', '<=', fence)
      .returningAll()
      .execute();
    if (row) await forgetInterest(transaction, Number(row.number));
    return row;
  });
  if (!crawl) return;
  tellChange(engine.changes, crawl);
  tellEvent(engine, crawl);
}

/** Deletes a crawl that does not run, with everything that it has stored. */
export async function deleteCrawl(
  engine: CrawlEngine,
  named: { crawl: string; owner: string },
): Promise<CrawlRow> {
  const crawl = await robotDatabase(engine).transaction(async (transaction) => {
    const row = await findCrawl(transaction, named.crawl, named.owner);
    const number = Number(row.number);
    await refuseAtWork(transaction, row, 'stop it and wait until its batches have ended');
    const { from, to } = domainIds(number);
    for (const table of ['robot_request', 'robot_links'] as const)
      await transaction.deleteFrom(table).where('domain', '>=', from).where('domain', '<', to).execute();
    for (const table of [
      'robot_domain',
      'robot_result',
      'robot_segment',
      'robot_interest',
      'robot_scan',
    ] as const)
      await transaction.deleteFrom(table).where('crawl', '=', number).execute();
    await disown(transaction, segmentOwner(number));
    await transaction.deleteFrom('robot_crawl').where('id', '=', row.id).execute();
    return row;
  });
  tellChange(engine.changes, { ...crawl, state: 'deleted' });
  return crawl;
}

/** Deletes exported segments of a crawl, up to and with `through`. Their pages stay known and are not fetched again. */
export async function releaseSegments(
  engine: CrawlEngine,
  named: { crawl: string; owner: string },
  through: number,
): Promise<{ segments: number; bytes: number }> {
  const database = robotDatabase(engine);
  const { number } = await findCrawl(database.query, named.crawl, named.owner);
  const released = { segments: 0, bytes: 0 };
  for (;;) {
    const rows = await database.transaction(async (transaction) => {
      const some = await transaction
        .selectFrom('robot_segment')
        .select(['id', 'blob', 'size'])
        .where('crawl', '=', number)
        .where('id', '<=', through)
        .orderBy('id')
        .limit(500)
        .execute();
      const ids = some.map(({ id }) => id);
      if (ids.length > 0) await transaction.deleteFrom('robot_segment').where('id', 'in', ids).execute();
      for (const { blob } of some) {
        // Two segments with the same bytes are one blob.
        const other = await transaction
          .selectFrom('robot_segment')
          .select('id')
          .where('crawl', '=', number)
          .where('blob', '=', blob)
          .limit(1)
          .execute();
        if (other.length === 0) await disownOne(transaction, blob, segmentOwner(Number(number)));
      }
      return some;
    });
    if (rows.length === 0) return released;
    released.segments += rows.length;
    for (const { size } of rows) released.bytes += Number(size);
  }
}

/** Finds a crawl by its id, or by its name among the crawls of `owner`. */
export async function findCrawl(queries: Queries, named: string, owner: string): Promise<CrawlRow> {
  const row = await queries
    .selectFrom('robot_crawl')
    .selectAll()
    .where(({ or, and, eb }) =>
      or([eb('id', '=', named), and([eb('name', '=', named), eb('owner', '=', owner)])]),
    )
    .executeTakeFirst();
  if (!row) throw new PismakError('not-found', `there is no crawl ${named}; \`pismak robot ls\` lists yours`);
  return row;
}

async function forgetInterest(transaction: Queries, crawl: number): Promise<void> {
  await transaction.deleteFrom('robot_interest').where('crawl', '=', crawl).execute();
}

async function restoreInterest(transaction: Queries, crawl: number): Promise<void> {
  const domains = await transaction
    .selectFrom('robot_domain')
    .select('addresses')
    .where('crawl', '=', crawl)
    .where('queued', '>', 0)
    .execute();
  const addresses = new Set(domains.flatMap((domain) => JSON.parse(domain.addresses) as string[]));
  const rows = [...addresses].map((address) => ({ address, crawl }));
  for (const some of chunks(rows, 500))
    await transaction
      .insertInto('robot_interest')
      .values(some)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

function tellEvent({ events, clock }: CrawlEngine, { name, owner, state }: CrawlRow): void {
  events.emit({ kind: `robot.${state}`, entity: name, user: owner, at: clock.now() });
}
