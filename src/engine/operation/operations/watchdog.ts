import { z } from 'zod';
import { sentenceCode } from '../../ground/sentence.ts';
import { defineOperation } from '../operation.ts';
import { nothing } from './inputs.ts';

export const watchdogStatus = defineOperation({
  name: 'watchdog.status',
  summary: "Show the watchdog's leader, its latest moves, and how long a message of each stage takes",
  role: 'reader',
  owner: 'none',
  changes: false,
  input: nothing,
  output: z.strictObject({
    leader: z.string().nullable().describe('Null: there is no leader now'),
    policy: z.string(),
    parameters: z.strictObject({
      periodMs: z.number(),
      minimumMessages: z.number(),
      reconfigurationMs: z.number(),
      patienceMs: z.number(),
    }),
    lastPlanAt: z.number().nullable(),
    tookMs: z.number().nullable(),
    moved: z
      .int()
      .describe('Workers moved since this leader took over; `latest` lists the newest moves first'),
    latest: z.array(
      z.strictObject({
        at: z.number(),
        worker: z.string(),
        from: z.string().nullable(),
        to: z.string(),
        reason: z.string(),
        sentence: sentenceCode.optional().describe('The reason for programs'),
      }),
    ),
    averages: z.array(z.strictObject({ stage: z.string(), averageMs: z.number() })),
  }),
  example: {},
  async handler({ engine }) {
    const [{ watchdogStatus: statusOf }, { planNow }] = await Promise.all([
      import('../../watchdog/status.ts'),
      import('../../watchdog/watchdog.ts'),
    ]);
    const { policy, ...parameters } = engine.settings.watchdog;
    const [now, plan] = await Promise.all([statusOf(engine.coordination), planNow(engine)]);
    return {
      leader: now?.leader ?? null,
      policy,
      parameters,
      lastPlanAt: now?.lastPlanAt ?? null,
      tookMs: now?.tookMs ?? null,
      moved: now?.moved ?? 0,
      latest: now?.latest ?? [],
      averages: plan.queues.map(({ stage, averageMs }) => ({ stage, averageMs })),
    };
  },
});

const details = z
  .record(z.string(), z.number())
  .exactOptional()
  .describe('Other numbers that the policy uses, by name');

export const watchdogPlan = defineOperation({
  name: 'watchdog.plan',
  summary: 'Show what the watchdog would do now and why, without doing it',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: nothing,
  output: z.strictObject({
    assignments: z.array(
      z.strictObject({
        worker: z.string(),
        from: z.string().nullable(),
        to: z.string(),
        unlockAt: z.number().describe('Until then the worker is moved again only if its queue is empty'),
        reason: z.string(),
        sentence: sentenceCode.exactOptional().describe('The reason for programs'),
        details,
      }),
    ),
    queues: z.array(
      z.strictObject({
        stage: z.string(),
        length: z.number().describe('L: waiting messages'),
        averageMs: z.number().describe('AMT: average time of a message'),
        workers: z.number().describe('NW: workers that serve it'),
        isServed: z
          .boolean()
          .optional()
          .describe('Whether one of them has it loaded already; policy `flow` only'),
        waitingMs: z.number().describe('WT: how long messages have waited with no worker serving them'),
        priority: z.number().describe('AP: administrative priority'),
        parametric: z.number().describe('PP = (L * AMT / (NW + 1) + WT) * (AP + 1), in seconds'),
        relative: z.number().describe('P = PP / sum of all PP'),
        details,
      }),
    ),
  }),
  example: {},
  async handler({ engine }) {
    const { planNow } = await import('../../watchdog/watchdog.ts');
    return planNow(engine);
  },
});

export const watchdogOperations = [watchdogStatus, watchdogPlan];
