import { z } from 'zod';
import { thinTrace } from '../../trace/thin-trace.ts';
import { fromFirstKnown } from '../../trace/trace.ts';
import { defineOperation } from '../operation.ts';

const hourMs = 3_600_000;
const moment = z.number().min(0).max(8.64e15);

/** A trace, as operations answer it. */
export const traceShape = {
  from: z.number(),
  to: z.number(),
  workers: z.array(
    z.strictObject({
      id: z.string(),
      spans: z
        .array(
          z.strictObject({
            from: z.number(),
            to: z.number(),
            stage: z.string().describe('Empty: no stage, or only shared ones'),
            kind: z.enum(['serving', 'switching', 'idle', 'failed']),
          }),
        )
        .describe('In order; nothing is known about times without a span'),
    }),
  ),
  queues: z.array(
    z.strictObject({
      stage: z.string(),
      points: z.array(
        z.strictObject({ at: z.number(), length: z.number().nullable().describe('Null: not known') }),
      ),
    }),
  ),
};

export const traceShow = defineOperation({
  name: 'trace.show',
  heavy: 'read',
  summary: 'Show which worker served which stage when, and how long the queues were',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: z.strictObject({
    from: moment
      .optional()
      .describe(
        'Milliseconds since 1970; default: an hour before `to`, or the beginning of the trace if that is later',
      ),
    to: moment.optional().describe('Milliseconds since 1970; default: now'),
    limit: z
      .int()
      .min(10)
      .max(5000)
      .default(1000)
      .describe('Number of time steps; anything shorter than a step is merged'),
  }),
  output: z.strictObject(traceShape),
  example: { from: 1_767_225_600_000, to: 1_767_229_200_000 },
  async handler({ engine }, { from, to, limit }) {
    const { readTrace } = await import('../../trace/trace-store.ts');
    const end = to ?? engine.clock.now();
    const trace = await readTrace(engine.database, { from: from ?? end - hourMs, to: end });
    return thinTrace(from === undefined ? fromFirstKnown(trace) : trace, limit);
  },
});

export const traceOperations = [traceShow];
