import { z } from 'zod';
import { PismakError } from '../../ground/errors.ts';
import { sentenceCode } from '../../ground/sentence.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { sightOf } from './sight.ts';

const alertRow = z
  .strictObject({
    id: z.string(),
    kind: z.string(),
    entity: z.string(),
    reason: z.string(),
    sentence: sentenceCode.nullable().describe('The reason for programs; null: only its text is known'),
    details: z.record(z.string(), z.unknown()),
    raisedAt: z.number(),
    lastSeenAt: z.number(),
    clearedAt: z.number().nullable().describe('Null while the alert is open'),
    seen: z.int().describe('How often it was raised'),
    acknowledgedBy: z.string().nullable().describe('Who has taken notice of it; null: nobody yet'),
    acknowledgedAt: z.number().nullable(),
    note: z.string().nullable().describe('What they said about it'),
    mutedUntil: z.number().nullable().describe('Until then nobody is notified; null: it is not muted'),
    mutedBy: z.string().nullable(),
  })
  .meta({ title: 'Alert' });

export const alertList = defineOperation({
  name: 'alert.ls',
  summary: 'List open alerts about the installation and your things, newest first; with `all`, past ones too',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({ all: z.boolean().default(false).describe('Past alerts too') }),
  output: z.strictObject({ alerts: z.array(alertRow) }),
  example: { all: true },
  handler: async (context, { all }) => ({ alerts: await visibleAlerts(context, { all }) }),
});

const id = z.string().min(1).max(100).describe('Id of an open alert; `alert.ls` lists them');
const exampleId = '019a9d2c-7c1f-7f04-bb4d-1f8d3a0f4c11';
const changing = { role: 'admin', owner: 'none', changes: true } as const;

export const alertAcknowledge = defineOperation({
  ...changing,
  name: 'alert.acknowledge',
  summary: 'Tell your colleagues that you look after an open alert; the last one who says so stands',
  input: z.strictObject({
    id,
    note: z.string().max(2000).optional().describe('What you know about it, or do about it'),
  }),
  output: alertRow,
  example: { id: exampleId, note: 'the disk is replaced on Monday' },
  handler: ({ engine, caller }, { id, note }) => engine.alerts.acknowledge(id, caller.name, note ?? null),
});

const longestMuteMs = 90 * 24 * 3_600_000;

export const alertMute = defineOperation({
  ...changing,
  name: 'alert.mute',
  summary:
    'Stop the notifications about an open alert until a time; it stays in the list, and its end is still told',
  input: z.strictObject({
    id,
    until: z
      .int()
      .min(0)
      .nullable()
      .describe('In milliseconds since the epoch, at most 90 days ahead; null: notify again'),
  }),
  output: alertRow,
  example: { id: exampleId, until: 1_798_761_600_000 },
  handler({ engine, caller }, { id, until }) {
    const now = engine.clock.now();
    if (until !== null && (until <= now || until > now + longestMuteMs))
      throw new PismakError('invalid-input', 'until must be in the future, and at most 90 days ahead');
    return engine.alerts.mute(id, caller.name, until);
  },
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

export const alertOperations = [alertList, alertAcknowledge, alertMute];
