import { z } from 'zod';
import { defineOperation } from '../operation.ts';

export const alertList = defineOperation({
  name: 'alert.ls',
  summary: 'List open alerts and what to do about them, newest first; with `all`, past ones too',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: z.strictObject({ all: z.boolean().default(false).describe('Past alerts too') }),
  output: z.strictObject({
    alerts: z.array(
      z.strictObject({
        id: z.string(),
        kind: z.string(),
        entity: z.string(),
        reason: z.string(),
        details: z.record(z.string(), z.unknown()),
        raisedAt: z.number(),
        lastSeenAt: z.number(),
        clearedAt: z.number().nullable().describe('Null while the alert is open'),
        seen: z.int().describe('How often it was raised'),
      }),
    ),
  }),
  example: { all: true },
  handler: async ({ engine }, { all }) => ({
    alerts: (await engine.alerts.list({ all })).map((alert) => ({ ...alert, details: { ...alert.details } })),
  }),
});

export const alertOperations = [alertList];
