import { z } from 'zod';

const requestSummary = z.strictObject({
  uuid: z.string(),
  pageUuid: z.string(),
  priority: z.int(),
  owner: z.string(),
  pipeline: z.string(),
  startedAt: z.number().nullable(),
  stages: z.array(z.string()),
  files: z.array(z.strictObject({ name: z.string(), size: z.number(), blob: z.string().nullable() })),
  fileCount: z.int(),
  logs: z.array(
    z.strictObject({
      stage: z.string(),
      status: z.string(),
      start: z.number().nullable(),
      end: z.number().nullable(),
    }),
  ),
});

export const messageRow = z.strictObject({
  id: z.string(),
  lane: z.enum(['high', 'normal']),
  state: z.enum(['ready', 'delayed', 'in-flight', 'dead']),
  attempt: z.int(),
  publishedAt: z.number(),
  readyAt: z.number().nullable(),
  size: z.int(),
  history: z
    .array(z.strictObject({ at: z.number(), attempt: z.int(), reason: z.string() }))
    .describe('Failures so far, the latest last'),
  request: requestSummary.nullable().describe('Null if the body is not a request'),
  body: z
    .string()
    .nullable()
    .describe('Base64; null if not asked for, or if the response would be too large'),
});
export type MessageRow = z.infer<typeof messageRow>;
