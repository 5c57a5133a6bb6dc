import { z } from 'zod';
import type { Event } from '../../event/event.ts';
import { version } from '../../ground/version.ts';
import { checkStores, healthOf, storeStates, stores } from '../../health/check-stores.ts';
import { defineOperation } from '../operation.ts';
import { visibleAlerts } from './alert.ts';
import { nothing } from './inputs.ts';
import { queueRow } from './rows.ts';
import { visibleQueues } from './visible-queues.ts';
import { workerRow, workerRows } from './worker-rows.ts';

export const statusShow = defineOperation({
  name: 'status.show',
  summary: 'Show an overview: health, queues, workers, open alerts and finished requests per minute',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: nothing,
  output: z.strictObject({
    version: z.string(),
    startedAt: z.number(),
    health: z.strictObject({
      status: z.enum(storeStates),
      parts: z.record(z.enum(stores), z.enum(storeStates)),
    }),
    queues: z.array(queueRow),
    workers: z.array(workerRow),
    alerts: z.int().describe('Number of open alerts'),
    ratePerMinute: z
      .record(z.string(), z.number())
      .describe('Requests that each stage finished in the last minute'),
  }),
  example: {},
  async handler(context) {
    const { engine } = context;
    const [faults, queues, workers, alerts, sample] = await Promise.all([
      checkStores(engine),
      visibleQueues(context),
      workerRows(engine.coordination),
      visibleAlerts(context),
      engine.samples.latest().catch(() => undefined),
    ]);
    // What this process has seen itself may be some seconds newer.
    const rates = ratePerMinute(engine.events.recent(), engine.clock.now(), engine.events.dropped > 0);
    for (const [stage, { perMinute }] of Object.entries(sample?.rates ?? {}))
      rates[stage] = Math.max(perMinute, rates[stage] ?? 0);
    return {
      version,
      startedAt: Math.round(performance.timeOrigin),
      health: healthOf(faults),
      queues: queues.slice(0, mostQueues),
      workers,
      alerts: alerts.length,
      ratePerMinute: rates,
    };
  },
});

const mostQueues = 1000;

/**
 * Finished requests per stage and minute. If the buffer doesn't reach back a whole minute, the rate is extrapolated from
 * what it holds.
 */
export function ratePerMinute(
  events: readonly Event[],
  now: number,
  dropped: boolean,
): Record<string, number> {
  const minuteAgo = now - 60_000;
  const from = dropped ? Math.max(minuteAgo, events[0]?.at ?? minuteAgo) : minuteAgo;
  const counts: Record<string, number> = {};
  for (const { kind, entity, at } of events) {
    if (kind === 'request.processed' && at > minuteAgo) counts[entity] = (counts[entity] ?? 0) + 1;
  }
  const scale = 60_000 / Math.max(1, now - from);
  return Object.fromEntries(
    Object.entries(counts).map(([stage, count]) => [stage, Math.round(count * scale)]),
  );
}

export const statusOperations = [statusShow];
