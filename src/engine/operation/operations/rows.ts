import { z } from 'zod';
import { type Stage, stageDefinition } from '../../stage/stage.ts';
import { workerPresence, workerRecord } from '../../worker/worker-record.ts';

/** What several operations give out, each described once. Times are milliseconds since the epoch. */

export const stageRow: z.ZodType<Stage> = stageDefinition.extend({ version: z.int() });

export const queueRow = z.strictObject({
  name: z.string(),
  kind: z
    .enum(['stage', 'output', 'other'])
    .describe('stage: to be processed; output: finished, to be taken; other: declared by somebody else'),
  owner: z.string().nullable().describe('Whose output queue it is; null: it belongs to the installation'),
  ready: z.strictObject({ high: z.int(), normal: z.int() }),
  delayed: z.int(),
  inFlight: z.int(),
  dead: z.int(),
  oldestAt: z.number().nullable(),
  paused: z.boolean(),
  maxLength: z.int().nullable(),
});
export type QueueRow = z.infer<typeof queueRow>;

export const workerRow = z.strictObject({
  ...workerRecord.shape,
  state: z.enum([...workerPresence.shape.state.options, 'DEAD']),
  presence: workerPresence.nullable().describe('What it says of itself, null when it is not running'),
});
export type WorkerRow = z.infer<typeof workerRow>;

export const pipelineRow = z.strictObject({
  name: z.string(),
  stages: z.array(z.string()),
  owner: z.string(),
  createdAt: z.number(),
});

/** For changes that have nothing to say but that they were made. */
export const done = z.strictObject({});
