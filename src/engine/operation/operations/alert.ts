import { z } from 'zod';
import { defineOperation, type OperationContext } from '../operation.ts';
import { sightOf } from './sight.ts';

export const alertList = defineOperation({
  name: 'alert.ls',
  summary: 'List open alerts about the installation and your things, newest first; with `all`, past ones too',
  role: 'reader',
  owner: 'caller',
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
  handler: async (context, { all }) => ({ alerts: await visibleAlerts(context, { all }) }),
});

/** Alerts about the installation and about what belongs to the caller. */
export async function visibleAlerts(
  context: Pick<OperationContext, 'engine' | 'caller'>,
  options?: { all?: boolean },
) {
  const sight = await sightOf(context);
  const isAdmin = context.caller.role === 'admin';
  return (await context.engine.alerts.list(options)).filter(sight.alert).map((alert) => {
    // Messages belong to users, and their failure reasons may quote their files.
    const { messages, ...details } = alert.details;
    return { ...alert, details: isAdmin && messages !== undefined ? { ...details, messages } : details };
  });
}

export const alertOperations = [alertList];
