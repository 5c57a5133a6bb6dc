import { once } from 'node:events';
import type { Engine } from '../engine/composition/engine.ts';
import { hasCode } from '../engine/ground/errors.ts';
import { newId } from '../engine/ground/identity.ts';
import { sectionOf } from '../engine/house.ts';
import { type Running, runService } from '../engine/service/service.ts';
import { WakeUp } from '../engine/time/wake-up.ts';
import { sayRobotAlert } from './crawl/alert-sentences.ts';
import { crawlsChanged, tellProgress } from './crawl/changes.ts';
import { finishCrawl } from './crawl/crawls.ts';
import { UnusableExpression } from './crawl/expression.ts';
import { type CrawlStatistics, eventFigures } from './crawl/statistics.ts';
import { robotDatabase } from './database/tables.ts';
import { signOff, signOn } from './harvest/harvester-list.ts';
import { Harvesters } from './harvest/harvesters.ts';
import { Keeper } from './keeper/keeper.ts';
import { runScans } from './scans/run-scans.ts';
import { robotSection } from './settings/settings.ts';

const lookMs = 1_000;
/** How often a process records what its harvesters do, and reads how many it should have. */
const signMs = 2_000;
/** How often the figures of a running crawl are emitted as an event. */
const tellMs = 10_000;

/** Runs a queuekeeper for every crawl (one in the cluster leads, the others stand by) and the harvesters of this process. */
export async function runRobot(engine: Engine): Promise<Running> {
  const { clock, disk, log, blobs, settings } = engine;
  const database = robotDatabase(engine);
  const { harvesters: threads, lease } = sectionOf(settings, robotSection);
  const leaseMs = 1000 * lease;
  const process = newId(clock);
  const isAlone = settings.database.startsWith('sqlite:');
  const wakeUps = new Map<number, WakeUp>();
  /** By the crawl's id: the number of a deleted crawl may be given to another. */
  const keepers = new Map<string, Running>();
  /** Crawls whose keepers have ended them. A crawl that is started again before its keeper is closed needs a new one. */
  const over = new Set<string>();
  const stop = new AbortController();
  const changed = crawlsChanged(engine.changes, () => look.wake());
  const look = new WakeUp();
  let harvesters: Harvesters | undefined;
  let signedAt = 0;
  const { parseRobots } = await import('./text/robots-rules.ts');

  function keep(crawl: CrawlName): Running {
    const wakeUp = new WakeUp();
    wakeUps.set(crawl.number, wakeUp);
    return runService({
      name: `robot.keeper.${crawl.id}`,
      openSession: engine.openSession,
      clock,
      log,
      async run({ hold, signal }) {
        const keeper = await Keeper.open(
          {
            database,
            clock,
            log,
            random: engine.random,
            leaseMs,
            mayLive: (harvester) => !isAlone || harvester === process,
            parseRobots: (text) => parseRobots(Buffer.from(text, 'latin1')),
          },
          crawl.id,
          hold.fence,
        );
        // An error ends the service and the next keeper reads everything again, so memory never disagrees with the tables.
        let told = clock.now();
        let figures = '';
        while (!signal.aborted) {
          const next = await keeper.round().catch(async (error: unknown) => {
            if (!(error instanceof UnusableExpression)) throw error;
            await setAside(engine, crawl, { fence: hold.fence, reason: error.message });
            return lookMs;
          });
          const now = JSON.stringify(eventFigures(keeper.statistics));
          if (now !== figures) tellProgress(engine.changes, crawl);
          figures = now;
          if (clock.now() - told >= tellMs) {
            told = clock.now();
            tellStatistics(engine, crawl, keeper.statistics);
            await tellCutOff(engine, crawl, keeper.isCutOff);
          }
          harvesters?.wake();
          if (next === 'finished' || next === 'stopped') {
            await tellCutOff(engine, crawl, false);
            await finishCrawl(engine, crawl.id, { fence: hold.fence, state: next });
            over.add(crawl.id);
            look.wake();
            // Keep the lead: no other process needs to keep a crawl that has ended.
            if (!signal.aborted) await once(signal, 'abort');
            return;
          }
          if (next > 0) await wakeUp.wait(clock, next, signal);
        }
      },
    });
  }

  async function loop(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        const wanted = await unfinished();
        const ids = new Set(wanted.map(({ id }) => id));
        for (const [id, keeper] of keepers) {
          if (ids.has(id) && !over.has(id)) continue;
          keepers.delete(id);
          await keeper.close();
          over.delete(id);
        }
        const numbers = new Set(wanted.map(({ number }) => number));
        for (const number of wakeUps.keys()) if (!numbers.has(number)) wakeUps.delete(number);
        for (const crawl of wanted) if (!keepers.has(crawl.id)) keepers.set(crawl.id, keep(crawl));
        // No threads before the first crawl.
        if (wanted.length > 0 && !harvesters)
          harvesters = new Harvesters(
            {
              database,
              blobs,
              clock,
              disk,
              log,
              process,
              leaseMs,
              reported: (crawl) => wakeUps.get(crawl)?.wake(),
              segmenter: (crawl, problem) => tellSegmenter(engine, crawl, problem),
            },
            threads,
          );
        if (harvesters && wanted.length > 0 && clock.now() - signedAt >= signMs) {
          signedAt = clock.now();
          const asked = await signOn(database, { process, now: clock.now(), load: harvesters.load });
          harvesters.count = asked ?? threads;
        }
      } catch (error) {
        if (!stop.signal.aborted && !hasCode(error, 'unavailable'))
          log.error({ err: error }, 'robot: a round failed; the next one follows');
      }
      await look.wait(clock, lookMs, stop.signal);
    }
  }

  /** Crawls that run, and others with batches under way. */
  async function unfinished(): Promise<CrawlName[]> {
    const rows = await database.query
      .selectFrom('robot_crawl')
      .select(['id', 'number', 'name', 'owner'])
      .where(({ or, eb, exists, selectFrom }) =>
        or([
          eb('state', '=', 'running'),
          exists(
            selectFrom('robot_batch').select('id').whereRef('robot_batch.crawl', '=', 'robot_crawl.number'),
          ),
        ]),
      )
      .execute();
    return rows.map((row) => ({ ...row, number: Number(row.number) }));
  }

  const ended = loop();
  const scans = await runScans(engine);
  return {
    async close() {
      changed();
      stop.abort();
      look.wake();
      await ended;
      await harvesters?.close();
      await scans.close();
      await signOff(database, process).catch(() => {});
      await Promise.all([...keepers.values()].map((keeper) => keeper.close()));
    },
  };
}

interface CrawlName {
  id: string;
  number: number;
  name: string;
  owner: string;
}

/** Stops a crawl that can't run with its options, so that its keeper only takes back its batches, and it can be deleted. */
async function setAside(
  engine: Engine,
  { id, name, owner }: CrawlName,
  { fence, reason }: { fence: number; reason: string },
): Promise<void> {
  await finishCrawl(engine, id, { fence, state: 'stopped' });
  const told = sayRobotAlert('robot.set-aside', { crawl: name, why: reason });
  await engine.alerts.raise('robot.set-aside', id, told, { owner });
}

/** Raises or clears the alert that hardly any server answers a crawl. */
async function tellCutOff({ alerts }: Engine, { id, name }: CrawlName, isCutOff: boolean): Promise<void> {
  if (!isCutOff) return alerts.clear('robot.cut-off', id);
  const reason = sayRobotAlert('robot.cut-off', { crawl: name });
  await alerts.raise('robot.cut-off', id, reason);
}

/** Raises or clears the alert that a crawl's segmenter is down. */
async function tellSegmenter(engine: Engine, number: number, problem: string | undefined): Promise<void> {
  const row = await robotDatabase(engine)
    .query.selectFrom('robot_crawl')
    .select(['id', 'name', 'owner'])
    .where('number', '=', number)
    .executeTakeFirst()
    .catch(() => undefined);
  if (!row) return;
  if (problem === undefined) return engine.alerts.clear('robot.segmenter-down', row.id);
  const reason = sayRobotAlert('robot.segmenter-down', { crawl: row.name, why: problem });
  await engine.alerts.raise('robot.segmenter-down', row.id, reason, { owner: row.owner });
}

function tellStatistics(
  { events, clock }: Engine,
  { name, owner }: CrawlName,
  statistics: CrawlStatistics,
): void {
  const dimensions = eventFigures(statistics);
  events.emit({ kind: 'robot.statistics', entity: name, user: owner, at: clock.now(), dimensions });
}
