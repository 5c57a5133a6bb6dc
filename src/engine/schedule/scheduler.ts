import type { Alerts } from '../alert/alert.ts';
import { sayAlert } from '../alert/sentences.ts';
import type { ChangeLog } from '../event/change-log.ts';
import type { Events } from '../event/event.ts';
import { messageOf, PismakError } from '../ground/errors.ts';
import { newId } from '../ground/identity.ts';
import type { Ports } from '../ports/ports.ts';
import type { Submission } from '../request/submit.ts';
import { everyPeriod, type Running, runService, type ServiceContext } from '../service/service.ts';
import { RunLog } from './run-log.ts';
import { beginRun, endRun, giveUpInterrupted, openRuns, queueRun, saveLog } from './schedule-runs.ts';
import type { Schedules } from './schedules.ts';
import { follows, listSchedules, type Schedule, type ScheduleRun } from './schedules.ts';

type Scheduling = Pick<Ports, 'clock' | 'database' | 'log' | 'openSession'> & {
  alerts: Alerts;
  changes: ChangeLog;
  events: Events;
  schedules: Schedules;
} & {
  /** How a schedule publishes a request: `submitRequest` of the engine. */
  submit(submission: Submission): Promise<unknown>;
};

/** How often to poll as well: another process may have changed a schedule. */
const pollMs = 5000;

/** Runs due schedules, each tick once in the cluster: an elected service. */
export function runScheduler(parts: Scheduling): Running {
  const { clock, log, openSession } = parts;
  return runService({ name: 'scheduler', clock, log, openSession, run: (context) => lead(parts, context) });
}

interface RunInProgress {
  id: string;
  cancel: AbortController;
  ended: Promise<void>;
}

async function lead(parts: Scheduling, { hold, signal }: ServiceContext): Promise<void> {
  const { clock, database, log, schedules } = parts;
  /** Runs in progress in this process, by schedule: a schedule never runs twice at once. */
  const running = new Map<string, RunInProgress>();
  for (const run of await giveUpInterrupted(database.query, clock.now())) await announce(parts, run);

  const loop = { name: 'scheduler', clock, log, periodMs: pollMs, signal, wakeUp: schedules.wakeUp };
  await everyPeriod(loop, async () => {
    const all = await schedules.list();
    await queueDue(parts, all);
    const byName = new Map(all.map((schedule) => [schedule.name, schedule]));
    const open = await openRuns(database.query);
    for (const { id, cancel } of running.values()) {
      const run = open.find((each) => each.id === id);
      // Without a row, its schedule was deleted.
      if (!run || run.cancelledBy !== null) cancel.abort(new PismakError('conflict', cancelledText(run)));
    }
    for (const run of open) {
      const schedule = byName.get(run.schedule);
      if (!schedule || run.status !== 'queued' || running.has(run.schedule)) continue;
      if (!(await beginRun(database.query, run.id, clock.now(), hold.fence))) continue;
      const cancel = new AbortController();
      const ended = perform(parts, schedule, run, { stopping: signal, cancelled: cancel.signal })
        .catch((error: unknown) =>
          log.error({ run: run.id, err: error }, 'the end of a run could not be recorded'),
        )
        .finally(() => {
          running.delete(run.schedule);
          schedules.wakeUp.wake();
        });
      running.set(run.schedule, { id: run.id, cancel, ended });
    }
    // Skip those in progress: their next time may be past, and their end wakes the loop.
    const times = all
      .filter(({ name }) => !running.has(name))
      .map(({ nextAt }) => nextAt ?? Number.POSITIVE_INFINITY);
    const next = Math.min(...times);
    return Math.min(pollMs, Math.max(1, next - clock.now()));
  });
  await Promise.all([...running.values()].map(({ ended }) => ended));
}

function cancelledText(run: ScheduleRun | undefined): string {
  return run ? `cancelled by ${run.cancelledBy}` : 'cancelled: the schedule was deleted';
}

async function queueDue({ clock, database }: Scheduling, schedules: readonly Schedule[]): Promise<void> {
  const now = clock.now();
  const due = schedules.filter(({ nextAt }) => nextAt !== null && nextAt <= now);
  if (due.length === 0) return;
  // A tick that comes during the last run is missed and caught up afterwards.
  const busy = new Set((await openRuns(database.query)).map((run) => run.schedule));
  for (const { name, nextAt } of due) {
    if (busy.has(name)) continue;
    const tick = new Date(nextAt ?? now).toISOString();
    await queueRun(database.query, {
      id: newId(clock),
      schedule: name,
      tick,
      parameters: {},
      startedAt: now,
    });
  }
}

async function perform(
  parts: Scheduling,
  schedule: Schedule,
  run: ScheduleRun,
  { stopping, cancelled }: { stopping: AbortSignal; cancelled: AbortSignal },
): Promise<void> {
  const { clock, database } = parts;
  const log = new RunLog(clock, (text) => {
    saveLog(database.query, run.id, text).catch((error: unknown) =>
      parts.log.debug({ run: run.id, err: error }, 'the log of a run is saved at its end'),
    );
  });
  let status: 'succeeded' | 'failed' | 'cancelled' = 'succeeded';
  try {
    await act(parts, schedule, run, log, AbortSignal.any([stopping, cancelled]));
    cancelled.throwIfAborted();
    if (stopping.aborted) throw new PismakError('unavailable', 'interrupted: the process is stopping');
  } catch (error) {
    status = cancelled.aborted ? 'cancelled' : 'failed';
    log.add(messageOf(cancelled.aborted ? cancelled.reason : error));
  }
  log.close();
  const endedAt = clock.now();
  const counted = await database.transaction(async (transaction) => {
    if (!(await endRun(transaction, run, { status, endedAt, log: log.text }))) return false;
    if (status !== 'succeeded') return true;
    const followers = (await listSchedules(transaction, endedAt)).filter((other) =>
      follows(other.definition, schedule.name),
    );
    for (const follower of followers.filter((other) => other.enabled)) {
      const next = { schedule: follower.name, tick: `after:${run.id}`, parameters: {}, startedAt: endedAt };
      await queueRun(transaction, { id: newId(clock), ...next });
    }
    return true;
  });
  if (counted) await announce(parts, { ...run, status, endedAt, log: log.text });
}

async function act(
  parts: Scheduling,
  { name, definition: { action }, owner }: Schedule,
  run: ScheduleRun,
  log: RunLog,
  signal: AbortSignal,
): Promise<void> {
  if (action.kind === 'task') {
    const task = parts.schedules.task(action.task);
    if (!task) throw new PismakError('not-found', `this version has no task ${action.task}`);
    await task({
      parameters: { ...action.parameters, ...run.parameters },
      signal,
      log: (line) => log.add(line),
    });
    return;
  }
  const { pipeline, stages, priority } = action;
  const files = action.files.map((file) => ({ name: file.name, content: Buffer.from(file.content) }));
  if (Object.keys(run.parameters).length > 0) {
    files.push({ name: 'parameters.json', content: Buffer.from(JSON.stringify(run.parameters)) });
  }
  // The request gets the run's id, so that it can be found by it. Only administrators create schedules.
  await parts.submit({ pipeline, stages, priority, files, uuid: run.id, owner, role: 'admin' });
  log.add(`schedule ${name} published request ${run.id} to ${pipeline ?? stages?.join(', ')}`);
}

/** Announces the end of a run. A schedule whose last run failed has an open alert, which a cancelled run leaves as it is. */
async function announce({ alerts, changes, clock, events }: Scheduling, run: ScheduleRun): Promise<void> {
  const { id, schedule, status, log } = run;
  const at = clock.now();
  events.emit({ kind: 'schedule.run', entity: schedule, at, dimensions: { status, ms: at - run.startedAt } });
  changes.add({ kind: 'schedule', entity: schedule, data: { run: id, status } });
  if (status === 'succeeded') return alerts.clear('schedule.failed', schedule);
  if (status === 'cancelled') return;
  const why = log.trimEnd().split('\n').at(-1) ?? '';
  const reason = sayAlert('schedule.failed', { schedule, why });
  await alerts.raise('schedule.failed', schedule, reason, { run: id });
}
