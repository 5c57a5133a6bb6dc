import { Cron } from 'croner';
import { z } from 'zod';
import { messageOf } from '../ground/errors.ts';
import { stageName } from '../stage/stage.ts';

const cronTime = z
  .strictObject({
    kind: z.literal('cron'),
    /** Five fields, or six with seconds first; also `@daily` and the like, or one moment as an ISO date. */
    cron: z.string().min(1).max(200),
    timezone: z.string().min(1).max(100).default('UTC'),
  })
  .superRefine((when, context) => {
    try {
      newCron(when).nextRun();
    } catch (error) {
      context.addIssue({ code: 'custom', message: `not a valid time: ${messageOf(error)}` });
    }
  });

/** When to do something, and what to do. */
export const scheduleDefinition = z.strictObject({
  when: z.discriminatedUnion('kind', [
    cronTime,
    /** After each successful run of that schedule. */
    z.strictObject({ kind: z.literal('after'), schedule: stageName }),
  ]),
  action: z.discriminatedUnion('kind', [
    /** A request to a pipeline, or to a list of stages that ends with the output queue. */
    z
      .strictObject({
        kind: z.literal('publish'),
        pipeline: stageName.optional(),
        stages: z.array(stageName).min(2).max(100).optional(),
        files: z.array(z.strictObject({ name: z.string().min(1).max(255), content: z.string() })).default([]),
        priority: z.int().min(0).max(1).default(0),
      })
      .refine(({ pipeline, stages }) => (pipeline === undefined) !== (stages === undefined), {
        error: 'give either a pipeline or stages',
      }),
    /** A named task of this installation. */
    z.strictObject({
      kind: z.literal('task'),
      task: z.string().min(1).max(100),
      parameters: z.record(z.string(), z.json()).default({}),
    }),
  ]),
});

export type ScheduleDefinition = z.infer<typeof scheduleDefinition>;
export type ScheduleInput = z.input<typeof scheduleDefinition>;
export type Parameters = Readonly<Record<string, z.core.util.JSONType>>;

export const runStatuses = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof runStatuses)[number];

/** The first tick after `after`; undefined if there is none, or it follows another schedule. */
export function nextTick({ when }: ScheduleDefinition, after: number): number | undefined {
  if (when.kind === 'after') return undefined;
  return newCron(when).nextRun(new Date(after))?.getTime();
}

function newCron({ cron, timezone }: { cron: string; timezone: string }): Cron {
  // Paused and without a function: it only computes times and never sets a timer.
  return new Cron(cron, { timezone, paused: true });
}
