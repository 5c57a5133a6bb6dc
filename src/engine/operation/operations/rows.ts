import { z } from 'zod';

/** Rows that several operations return. Times are in milliseconds since the epoch. */

export const queueRow = z.strictObject({
  name: z.string(),
  kind: z
    .enum(['stage', 'output', 'other'])
    .describe(
      'stage: messages to process; output: finished requests to collect; other: not declared by Pismak',
    ),
  owner: z
    .string()
    .nullable()
    .describe('Owner of an output queue; null: the queue belongs to the installation'),
  ready: z.strictObject({ high: z.int(), normal: z.int() }),
  backlog: z
    .int()
    .describe(
      'Work that waits in the database for its turn to enter the queue, counted up to 10,000 per lane and route',
    ),
  delayed: z.int(),
  inFlight: z.int(),
  dead: z.int(),
  oldestAt: z.number().nullable(),
  paused: z.boolean(),
  maxLength: z.int().nullable(),
  broken: z
    .string()
    .optional()
    .describe('Why the broker refuses the queue, and what to do; missing if the queue works'),
});
export type QueueRow = z.infer<typeof queueRow>;

export const pipelineRow = z.strictObject({
  name: z.string(),
  stages: z.array(z.string()),
  owner: z.string(),
  createdAt: z.number(),
  version: z.int().describe('Grows with each change of the stages'),
  changedAt: z.number(),
  changedBy: z.string(),
});

/** Output of changes that return nothing. */
export const done = z.strictObject({});
