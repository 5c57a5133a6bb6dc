import type { Selectable } from 'kysely';
import type { Database, Queries } from '../database/database.ts';
import type { EngineTables } from '../database/tables.ts';
import type { ChangeLog } from '../event/change-log.ts';
import { changedSince } from '../ground/base-version.ts';
import { hasCode, PismakError } from '../ground/errors.ts';
import { newId } from '../ground/identity.ts';
import { sayRefusal } from '../ground/refusals.ts';
import { stageName } from '../stage/stage.ts';
import type { Clock } from '../time/clock.ts';
import { WakeUp } from '../time/wake-up.ts';
import {
  nextTick,
  type Parameters,
  type ScheduleDefinition,
  type ScheduleInput,
  scheduleDefinition,
} from './schedule.ts';
import {
  cancelRuns,
  lastTicks,
  listRuns,
  openRuns,
  queueRun,
  type ScheduleRun,
  type WhichRuns,
} from './schedule-runs.ts';
import { createTasks, type Tasks } from './tasks.ts';

export type { ScheduleRun } from './schedule-runs.ts';
export type { TaskContext } from './tasks.ts';

export interface Schedule {
  name: string;
  definition: ScheduleDefinition;
  enabled: boolean;
  owner: string;
  /** Grows with each change of the definition. */
  version: number;
  /** Who made this version; null: not recorded. */
  changedBy: string | null;
  /** When it was last created, changed, enabled or disabled. */
  updatedAt: number;
  /** When it runs next; null if it is disabled or follows another schedule. */
  nextAt: number | null;
}

/** Actions at certain times, or after another schedule. */
export interface Schedules extends Tasks {
  list(): Promise<Schedule[]>;
  get(name: string): Promise<Schedule>;
  create(name: string, definition: ScheduleInput, owner: string): Promise<Schedule>;
  /** Replaces the definition; with `base`, only if that is still its version. Its owner stays. */
  set(name: string, definition: ScheduleInput, by: string, base?: number): Promise<Schedule>;
  /** Creates it unless the name exists: an existing schedule may have been changed on purpose. */
  ensure(name: string, definition: ScheduleInput, owner: string): Promise<void>;
  /** Ticks missed while disabled are not caught up. */
  enable(name: string): Promise<void>;
  disable(name: string): Promise<void>;
  delete(name: string): Promise<void>;
  /** Runs it as soon as the leader sees it, enabled or not. The history shows the run. */
  run(name: string, parameters?: Parameters): Promise<ScheduleRun>;
  /** Ends queued runs at once and has running ones stopped: this one, or all of the schedule. Resolves to those runs. */
  cancel(name: string, options: { id?: string | undefined; by: string }): Promise<ScheduleRun[]>;
  /** The runs, newest first. */
  history(options?: WhichRuns): Promise<ScheduleRun[]>;
  /** The latest run of a schedule, or the one with this id. */
  findRun(name: string, id?: string): Promise<ScheduleRun>;

  /** Rings when a schedule may be due. */
  readonly wakeUp: WakeUp;
}

export function createSchedules(parts: { database: Database; clock: Clock; changes: ChangeLog }): Schedules {
  const { database, clock, changes } = parts;
  const tasks = createTasks();
  const wakeUp = new WakeUp();

  function changed(name: string, data: Record<string, unknown>): void {
    changes.add({ kind: 'schedule', entity: name, data });
    wakeUp.wake();
  }

  async function setEnabled(name: string, enabled: boolean): Promise<void> {
    const schedule = await schedules.get(name);
    if (schedule.enabled === enabled) return;
    await database.query
      .updateTable('schedule')
      .set({ enabled: enabled ? 1 : 0, updatedAt: clock.now() })
      .where('name', '=', name)
      .execute();
    changed(name, { enabled });
  }

  /** Throws if it names something that does not exist, or parameters that its task doesn't take. */
  async function checked(name: string, input: ScheduleInput): Promise<ScheduleDefinition> {
    const definition = scheduleDefinition.parse(input);
    const { when, action } = definition;
    if (action.kind === 'task') tasks.checkParameters(action.task, action.parameters);
    if (when.kind !== 'after') return definition;
    const all = await schedules.list();
    // Schedules that only start each other would never run.
    for (let before: string | undefined = when.schedule; before !== undefined; ) {
      if (before === name)
        throw new PismakError(
          'conflict',
          `schedule ${name} would run after itself: ${when.schedule} follows it`,
        );
      const { definition: earlier } = find(all, before);
      before = earlier.when.kind === 'after' ? earlier.when.schedule : undefined;
    }
    return definition;
  }

  const schedules: Schedules = {
    ...tasks,
    wakeUp,
    list: () => listSchedules(database.query, clock.now()),

    async get(name) {
      return find(await schedules.list(), name);
    },

    async create(name, input, owner) {
      stageName.parse(name);
      const row = {
        name,
        definitionJson: JSON.stringify(await checked(name, input)),
        enabled: 1,
        owner,
        changedBy: owner,
        updatedAt: clock.now(),
      };
      try {
        await database.query.insertInto('schedule').values(row).execute();
      } catch (error) {
        if (!hasCode(error, 'constraint-violated')) throw error;
        throw new PismakError('already-exists', sayRefusal('taken.schedule', { schedule: name }), {
          cause: error,
        });
      }
      changed(name, { created: true });
      return schedules.get(name);
    },

    async set(name, input, by, base) {
      const before = await schedules.get(name);
      const expected = base ?? before.version;
      const { numUpdatedRows } = await database.query
        .updateTable('schedule')
        .set({
          definitionJson: JSON.stringify(await checked(name, input)),
          version: expected + 1,
          changedBy: by,
          updatedAt: clock.now(),
        })
        .where('name', '=', name)
        .where('version', '=', expected)
        .executeTakeFirst();
      const after = await schedules.get(name);
      if (Number(numUpdatedRows) === 0)
        throw changedSince(`schedule ${name}`, expected, { ...after, changedAt: after.updatedAt });
      changed(name, { version: after.version });
      return after;
    },

    async ensure(name, definition, owner) {
      await schedules.create(name, definition, owner).catch((error: unknown) => {
        if (!hasCode(error, 'already-exists')) throw error;
      });
    },

    enable: (name) => setEnabled(name, true),
    disable: (name) => setEnabled(name, false),

    async delete(name) {
      await schedules.get(name);
      const waiting = (await schedules.list()).filter((other) => follows(other.definition, name));
      if (waiting.length > 0) {
        const names = waiting.map((other) => other.name).join(', ');
        throw new PismakError('conflict', `schedule ${name} starts ${names}; delete that first`);
      }
      await database.transaction(async (transaction) => {
        await transaction.deleteFrom('schedule').where('name', '=', name).execute();
        await transaction.deleteFrom('scheduleRun').where('schedule', '=', name).execute();
      });
      changed(name, { deleted: true });
    },

    async run(name, parameters = {}) {
      const { action } = (await schedules.get(name)).definition;
      // A command without a running Pismak doesn't know the tasks of houses; the process that runs the task checks them again.
      if (action.kind === 'task' && tasks.task(action.task))
        tasks.checkParameters(action.task, Object.assign({}, action.parameters, parameters));
      const id = newId(clock);
      const run = { id, schedule: name, tick: `now:${id}`, parameters, startedAt: clock.now() };
      await queueRun(database.query, run);
      changed(name, { run: id });
      return { ...run, status: 'queued', endedAt: null, cancelledBy: null, log: '' };
    },

    async cancel(name, { id, by }) {
      if (id === undefined) await schedules.get(name);
      else await schedules.findRun(name, id);
      const open = (await openRuns(database.query)).filter(
        (run) => run.schedule === name && (id === undefined || run.id === id),
      );
      const ids = open.map((run) => run.id);
      const cancelled = await cancelRuns(database.query, ids, { by, now: clock.now() });
      const what =
        id === undefined ? `no run of schedule ${name} is queued or running` : `run ${id} has ended`;
      if (cancelled.length === 0)
        throw new PismakError('conflict', `${what}; \`pismak schedule history\` has it`);
      for (const run of cancelled) changed(name, { run: run.id, status: run.status });
      return cancelled;
    },

    history: (options) => listRuns(database.query, options),

    async findRun(name, id) {
      await schedules.get(name);
      const [run] = await listRuns(database.query, { name, id, limit: 1 });
      if (run) return run;
      const what =
        id === undefined ? `schedule ${name} has not run yet` : `schedule ${name} has no run ${id}`;
      throw new PismakError('not-found', `${what}; \`pismak schedule history ${name}\` lists its runs`);
    },
  };
  return schedules;
}

export async function listSchedules(queries: Queries, now: number): Promise<Schedule[]> {
  const rows = await queries.selectFrom('schedule').selectAll().orderBy('name').execute();
  const last = await lastTicks(queries);
  return rows.map((row) => fromRow(row, last.get(row.name) ?? 0, now));
}

function fromRow(row: Selectable<EngineTables['schedule']>, lastTickAt: number, now: number): Schedule {
  const { definitionJson, updatedAt, name, owner, version, changedBy } = row;
  const definition = scheduleDefinition.parse(JSON.parse(definitionJson));
  const enabled = row.enabled === 1;
  // Counted from its last start, so that one run makes up for any number of missed ticks.
  const last = Math.max(updatedAt, lastTickAt);
  // A start in the future was written while the clock was wrong. Clocks of several machines differ a little.
  const since = last > now + 60_000 ? now : last;
  const nextAt = enabled ? (nextTick(definition, since) ?? null) : null;
  return { name, definition, enabled, owner, version: Number(version), updatedAt, changedBy, nextAt };
}

export function follows({ when }: ScheduleDefinition, schedule: string): boolean {
  return when.kind === 'after' && when.schedule === schedule;
}

function find(all: readonly Schedule[], name: string): Schedule {
  const found = all.find((schedule) => schedule.name === name);
  if (found) return found;
  const names = all.map((schedule) => schedule.name);
  throw new PismakError(
    'not-found',
    `there is no schedule ${name}; ${names.length > 0 ? `known: ${names.join(', ')}` : 'there are none yet'}`,
  );
}
