import { z } from 'zod';
import { PismakError } from '../ground/errors.ts';
import { nearestName } from '../ground/nearest-name.ts';
import type { Parameters } from './schedule.ts';

export interface TaskContext<Known = Parameters> {
  /** Those of the schedule, overridden by those of the run, checked by the declaration of the task. */
  parameters: Known;
  /** Aborts when the run is cancelled, the process stops, or another process takes over. */
  signal: AbortSignal;
  /** Adds a line to the run's log, which can be read while the run goes on. */
  log(line: string): void;
}

/** Something the installation can do on schedule. An error fails the run. */
export type Task<Known = Parameters> = (context: TaskContext<Known>) => Promise<void>;

/** The tasks that this process knows, each with the parameters that it takes. */
export interface Tasks {
  /** Without `known`, the task takes no parameters. */
  registerTask(name: string, task: Task): void;
  registerTask<Known extends z.ZodObject>(name: string, task: Task<z.output<Known>>, known: Known): void;
  task(name: string): Task | undefined;
  /** Throws `invalid-input` if there is no such task, or it doesn't take these parameters. */
  checkParameters(name: string, parameters: Parameters): void;
}

export function createTasks(): Tasks {
  const tasks = new Map<string, { task: Task; known: z.ZodObject }>();

  function find(name: string) {
    const found = tasks.get(name);
    if (found) return found;
    const names = [...tasks.keys()];
    throw new PismakError(
      'invalid-input',
      `there is no task ${name}; ${names.length > 0 ? `known: ${names.join(', ')}` : 'there are none yet'}`,
    );
  }

  return {
    registerTask(name: string, task: Task<never>, known: z.ZodObject = z.strictObject({})) {
      const checked: Task = ({ parameters, ...context }) =>
        task({ ...context, parameters: check(name, known, parameters) as never });
      tasks.set(name, { task: checked, known });
    },
    task: (name) => tasks.get(name)?.task,
    checkParameters: (name, parameters) => void check(name, find(name).known, parameters),
  };
}

function check(task: string, known: z.ZodObject, parameters: Parameters): Record<string, unknown> {
  const result = known.safeParse(parameters);
  if (result.success) return result.data;
  const names = Object.keys(known.shape);
  const reasons = result.error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [`parameter ${issue.path.join('.')}: ${issue.message}`];
    return issue.keys.map((key) => {
      const nearest = nearestName(key, names);
      return `there is no parameter ${key}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
    });
  });
  const takes = names.length > 0 ? `takes ${names.join(', ')}` : 'takes no parameters';
  throw new PismakError('invalid-input', `task ${task} ${takes}: ${reasons.join('; ')}`);
}
