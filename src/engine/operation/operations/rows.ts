import { z } from 'zod';

/** What several operations give out, each described once. Times are milliseconds since the epoch. */

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

export const pipelineRow = z.strictObject({
  name: z.string(),
  stages: z.array(z.string()),
  owner: z.string(),
  createdAt: z.number(),
});

/** For changes that have nothing to say but that they were made. */
export const done = z.strictObject({});
