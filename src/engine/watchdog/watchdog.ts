import type { Clock } from '../clock.ts';
import type { Coordination } from '../coordination/coordination.ts';
import type { Engine } from '../engine.ts';
import type { Events } from '../event.ts';
import { everyPeriod, type Running, runService, type ServiceContext } from '../service.ts';
import type { Settings } from '../settings/settings.ts';
import { AverageKeeper, type Averages, averages } from './averages.ts';
import { carryOut, noteWaiting } from './carry-out.ts';
import { parametric } from './parametric.ts';
import { defaultParameters, type Plan, type Policy } from './policy.ts';
import { presencesOf, type Readings, read, toSnapshot } from './snapshot.ts';
import { type Move, openStatus, watchdogStatus } from './status.ts';

type Reading = Pick<Engine, 'broker' | 'clock' | 'coordination' | 'settings' | 'stages'>;
type Leading = Reading & Pick<Engine, 'changes' | 'events' | 'log' | 'openSession'>;

const policies: Record<Settings['watchdog']['policy'], Policy> = { parametric };

const averagesPath = '/watchdog/averages';
/** Averages change with every message; written this seldom, a new leader still knows them well enough. */
const averagesEveryMs = 30_000;
const lengthsEveryMs = 10_000;

/** Moves workers to where work waits: an elected service. */
export function runWatchdog(engine: Leading): Running {
  const { clock, log, openSession } = engine;
  return runService({ name: 'watchdog', clock, log, openSession, run: (context) => lead(engine, context) });
}

/** What the watchdog would do now and why, without doing it. */
export async function planNow(engine: Reading): Promise<Plan> {
  const [readings, status] = await Promise.all([read(engine), watchdogStatus(engine.coordination)]);
  // The leader knows the averages of this moment; what it has stored is older.
  const known = status?.averages ?? (await openKeeper(engine.coordination, readings)).averages;
  return plan(engine, readings, known);
}

async function lead(engine: Leading, context: ServiceContext): Promise<void> {
  const { clock, log, settings } = engine;
  const { coordination, hold, signal } = context;
  const parts = { ...engine, coordination };
  const keeper = await openKeeper(coordination, await read(parts));
  const report = await openStatus(context);
  const timeForAverages = atMostEvery(clock, averagesEveryMs);
  const tellLengths = lengthTeller(engine.events, clock);

  await everyPeriod(
    { name: 'watchdog', clock, log, periodMs: settings.watchdog.periodMs, signal },
    async () => {
      const at = clock.now();
      const readings = await read(parts);
      const news = keeper.add(presencesOf(readings));
      const made = plan(parts, readings, keeper.averages);
      const moves: Move[] = [];
      for (const assignment of made.assignments) {
        if (!(await carryOut(context, assignment))) continue;
        const { worker, from, to, reason } = assignment;
        moves.push({ at, worker, from, to, reason });
        log.info({ worker, from, to, reason }, 'worker assigned');
        engine.events.emit({
          kind: 'worker.assigned',
          entity: worker,
          at,
          dimensions: { stage: to, from: from ?? '' },
        });
        engine.changes.add({ kind: 'worker', entity: worker, data: { stage: to } });
      }
      await noteWaiting(context, readings, made, at);
      if (news && timeForAverages()) {
        keeper.keepOnly(new Set(readings.stages.map((stage) => stage.name)));
        await coordination.set(averagesPath, JSON.stringify(keeper.averages), { under: hold });
      }
      tellLengths(readings);
      await report({ lastPlanAt: at, tookMs: clock.now() - at, averages: keeper.averages, moves });
      return undefined;
    },
  );
}

function plan(parts: Pick<Reading, 'clock' | 'settings'>, readings: Readings, known: Averages): Plan {
  const { policy, minimumMessages, reconfigurationMs } = parts.settings.watchdog;
  const parameters = { ...defaultParameters, minimumMessages, reconfigurationMs };
  return policies[policy](toSnapshot(readings, known, parts.clock.now()), parameters);
}

/** Goes on from what the leader before us knew. */
async function openKeeper(coordination: Coordination, readings: Readings): Promise<AverageKeeper> {
  const node = await coordination.get(averagesPath);
  const presences = presencesOf(readings);
  const keeper = new AverageKeeper(node && averages.parse(JSON.parse(node.value)), presences);
  keeper.add(presences);
  return keeper;
}

/** The time trace of the queues: seldom, and only what changed. */
function lengthTeller(events: Events, clock: Clock): (readings: Readings) => void {
  const told = new Map<string, string>();
  const isTime = atMostEvery(clock, lengthsEveryMs);
  return (readings) => {
    if (!isTime()) return;
    for (const { name, ready, delayed, inFlight, dead } of readings.queues) {
      const dimensions = { ready: ready.high + ready.normal, delayed, inFlight, dead };
      const text = JSON.stringify(dimensions);
      if (told.get(name) === text) continue;
      told.set(name, text);
      events.emit({ kind: 'queue.length', entity: name, at: clock.now(), dimensions });
    }
  };
}

function atMostEvery(clock: Clock, ms: number): () => boolean {
  let next = 0;
  return () => {
    const now = clock.now();
    if (now < next) return false;
    next = now + ms;
    return true;
  };
}
