import type { Coordination } from '../coordination/coordination.ts';
import type { ChangeLog } from '../event/change-log.ts';
import type { Events } from '../event/event.ts';
import type { ClockWatch } from '../health/clock-watch.ts';
import type { Ports } from '../ports/ports.ts';
import { everyPeriod, type Running, runService, type ServiceContext } from '../service/service.ts';
import type { Stages } from '../stage/stages.ts';
import type { Clock } from '../time/clock.ts';
import { AverageKeeper, type Averages, averages } from './averages.ts';
import { carryOut, noteWaiting } from './carry-out.ts';
import { policies } from './policies.ts';
import { defaultParameters, type Plan } from './policy.ts';
import { presencesOf, type Readings, read, toSnapshot } from './snapshot.ts';
import { type Move, openStatus, watchdogStatus } from './status.ts';
import { TraceRecorder } from './trace-recorder.ts';

type Reading = Pick<Ports, 'broker' | 'clock' | 'coordination' | 'database' | 'settings'> & {
  stages: Stages;
};
type Leading = Reading &
  Pick<Ports, 'log' | 'openSession'> & { changes: ChangeLog; events: Events } & Partial<{
    clockWatch: ClockWatch;
  }>;

const averagesPath = '/watchdog/averages';
/** Averages change with every message; even written this rarely, they are good enough for a new leader. */
const averagesEveryMs = 30_000;

/** Moves workers to waiting work: an elected service. */
export function runWatchdog(engine: Leading): Running {
  const { clock, log, openSession } = engine;
  return runService({ name: 'watchdog', clock, log, openSession, run: (context) => lead(engine, context) });
}

/** What the watchdog would do now and why, without doing it. */
export async function planNow(engine: Reading): Promise<Plan> {
  const [readings, status] = await Promise.all([read(engine), watchdogStatus(engine.coordination)]);
  // The leader has the current averages; the stored ones are older.
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
  const trace = new TraceRecorder(engine);

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
        const { worker, from, to, reason, sentence } = assignment;
        moves.push({ at, worker, from, to, reason, ...(sentence && { sentence }) });
        log.info({ worker, from, to, reason }, 'worker assigned');
        engine.changes.add({ kind: 'worker', entity: worker, data: { stage: to } });
      }
      await noteWaiting(context, readings, made, at);
      if (news && timeForAverages()) {
        keeper.keepOnly(new Set(readings.stages.map((stage) => stage.name)));
        await coordination.set(averagesPath, JSON.stringify(keeper.averages), { under: hold });
      }
      await trace.see(readings, moves);
      await report({ lastPlanAt: at, tookMs: clock.now() - at, averages: keeper.averages, moves });
      return undefined;
    },
  ).finally(() => trace.close());
}

function plan(parts: Pick<Reading, 'clock' | 'settings'>, readings: Readings, known: Averages): Plan {
  const { policy, minimumMessages, reconfigurationMs, patienceMs, periodMs } = parts.settings.watchdog;
  const parameters = { ...defaultParameters, minimumMessages, reconfigurationMs, patienceMs, periodMs };
  return policies[policy](toSnapshot(readings, known, parts.clock.now()), parameters);
}

/** Continues from the previous leader's averages. */
async function openKeeper(coordination: Coordination, readings: Readings): Promise<AverageKeeper> {
  const node = await coordination.get(averagesPath);
  const presences = presencesOf(readings);
  const keeper = new AverageKeeper(node && averages.parse(JSON.parse(node.value)), presences);
  keeper.add(presences);
  return keeper;
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
