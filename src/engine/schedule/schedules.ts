import type { Database, Queries } from '../database/database.ts';
import type { EngineTables } from '../database/tables.ts';
import { hasCode, PismakError } from '../errors.ts';
import type { ChangeLog } from '../event/change-log.ts';
import { newId } from '../identity.ts';
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
import { lastTicks, listRuns, queueRun, type ScheduleRun } from './schedule-runs.ts';

export type { ScheduleRun } from './schedule-runs.ts';

export interface Schedule {
  name: string;
  definition: ScheduleDefinition;
  enabled: boolean;
  owner: string;
  /** When it was last created, enabled or disabled. */
  updatedAt: number;
  /** When it runs next; null if it is disabled or follows another schedule. */
  nextAt: number | null;
}

/** Something the installation can do on schedule. An error fails the run. */
export type Task = (context: TaskContext) => Promise<void>;

export interface TaskContext {
  parameters: Parameters;
  /** Aborts when the process stops or another process takes over. */
  signal: AbortSignal;
  /** Adds a line to the run's log. */
  log(line: string): void;
}

/** Actions at certain times, or after another schedule. */
export interface Schedules {
  list(): Promise<Schedule[]>;
  get(name: string): Promise<Schedule>;
  create(name: string, definition: ScheduleInput, owner: string): Promise<Schedule>;
  /** Creates it unless the name exists: an existing schedule may have been changed on purpose. */
  ensure(name: string, definition: ScheduleInput, owner: string): Promise<void>;
  /** Ticks missed while disabled are not caught up. */
  enable(name: string): Promise<void>;
  disable(name: string): Promise<void>;
  delete(name: string): Promise<void>;
  /** Runs it as soon as the leader sees it, enabled or not. The history shows the run. */
  run(name: string, parameters?: Parameters): Promise<ScheduleRun>;
  /** The runs, newest first. */
  history(options?: { name?: string; limit?: number }): Promise<ScheduleRun[]>;

  registerTask(name: string, task: Task): void;
  task(name: string): Task | undefined;
  /** Rings when a schedule may be due. */
  readonly wakeUp: WakeUp;
}

export function createSchedules(parts: { database: Database; clock: Clock; changes: ChangeLog }): Schedules {
  const { database, clock, changes } = parts;
  const tasks = new Map<string, Task>();
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

  const schedules: Schedules = {
    wakeUp,
    list: () => listSchedules(database.query, clock.now()),

    async get(name) {
      const all = await schedules.list();
      const found = all.find((schedule) => schedule.name === name);
      if (found) return found;
      throw new PismakError(
        'not-found',
        `there is no schedule ${name}; ${known(all.map((schedule) => schedule.name))}`,
      );
    },

    async create(name, input, owner) {
      stageName.parse(name);
      const definition = scheduleDefinition.parse(input);
      const { when, action } = definition;
      if (action.kind === 'task' && !tasks.has(action.task)) {
        throw new PismakError(
          'invalid-input',
          `there is no task ${action.task}; ${known([...tasks.keys()])}`,
        );
      }
      if (when.kind === 'after') await schedules.get(when.schedule);
      const row = {
        name,
        definitionJson: JSON.stringify(definition),
        enabled: 1,
        owner,
        updatedAt: clock.now(),
      };
      try {
        await database.query.insertInto('schedule').values(row).execute();
      } catch (error) {
        if (!hasCode(error, 'constraint-violated')) throw error;
        const text = `schedule ${name} already exists; delete it first`;
        throw new PismakError('already-exists', text, { cause: error });
      }
      changed(name, { created: true });
      return schedules.get(name);
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
      await schedules.get(name);
      const id = newId(clock);
      const run = { id, schedule: name, tick: `now:${id}`, parameters, startedAt: clock.now() };
      await queueRun(database.query, run);
      changed(name, { run: id });
      return { ...run, status: 'queued', endedAt: null, log: '' };
    },

    history: (options) => listRuns(database.query, options),
    registerTask: (name, task) => void tasks.set(name, task),
    task: (name) => tasks.get(name),
  };
  return schedules;
}

export async function listSchedules(queries: Queries, now: number): Promise<Schedule[]> {
  const rows = await queries.selectFrom('schedule').selectAll().orderBy('name').execute();
  const last = await lastTicks(queries);
  return rows.map((row) => fromRow(row, last.get(row.name) ?? 0, now));
}

function fromRow(row: EngineTables['schedule'], lastTickAt: number, now: number): Schedule {
  const { definitionJson, updatedAt, name, owner } = row;
  const definition = scheduleDefinition.parse(JSON.parse(definitionJson));
  const enabled = row.enabled === 1;
  // Counted from its last start, so that one run makes up for any number of missed ticks.
  const last = Math.max(updatedAt, lastTickAt);
  // A start in the future was written while the clock was wrong. Clocks of several machines differ a little.
  const since = last > now + 60_000 ? now : last;
  const nextAt = enabled ? (nextTick(definition, since) ?? null) : null;
  return { name, definition, enabled, owner, updatedAt, nextAt };
}

export function follows({ when }: ScheduleDefinition, schedule: string): boolean {
  return when.kind === 'after' && when.schedule === schedule;
}

function known(names: readonly string[]): string {
  return names.length > 0 ? `known: ${names.join(', ')}` : 'there are none yet';
}
