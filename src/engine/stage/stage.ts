import { z } from 'zod';

/** A stage is a queue, a configuration and a processor. The queue bears the stage's name. */
export const stageName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    'a name is 1 to 100 letters, digits, dots, dashes or underscores, and begins with a letter or digit',
  );

export const retryPolicy = z.strictObject({
  /** How often it is tried in all before it fails for good. */
  attempts: z.int().min(1).max(100).default(3),
  firstDelayMs: z.int().min(0).default(1000),
  factor: z.number().min(1).max(100).default(4),
  maxDelayMs: z.int().min(0).default(3_600_000),
  /** Share of the delay that is left to chance, so that failures don't come back in step. */
  jitter: z.number().min(0).max(1).default(0.2),
});

export const stageFile = z.strictObject({ name: z.string().min(1), hash: z.string(), size: z.int() });

export const stageDefinition = z.strictObject({
  name: stageName,
  processor: z.string().min(1).describe('What does the work'),
  mode: z
    .enum(['exclusive', 'shared'])
    .describe(
      'Planned by the watchdog (CPU-bound), or served by every worker all the time (I/O-bound or tiny)',
    )
    .default('exclusive'),
  config: z.string().max(400_000).describe('What the processor is told, in its own language').default(''),
  files: z
    .array(stageFile)
    .describe('Named files for the processor (models, dictionaries), kept in Blobs')
    .default([]),
  priority: z
    .number()
    .min(-1)
    .max(1_000_000)
    .describe('-1 = never planned, 0 = as computed, more = more workers')
    .default(0),
  labels: z
    .array(z.string().min(1))
    .describe('Only workers that have all of these labels may serve it')
    .default([]),
  concurrency: z.int().min(1).max(1000).describe('Messages that one worker processes at once').default(1),
  retry: retryPolicy.prefault({}),
  timeoutMs: z.int().min(1).describe('Longest time for one request').default(600_000),
  memoryMb: z
    .int()
    .min(32)
    .describe('A processor that outgrows it is restarted between two messages; far beyond, at once')
    .default(1024),
  maxLength: z
    .int()
    .min(1)
    .nullable()
    .describe('Most messages that may wait in its queue; none = no limit')
    .default(null),
});

export type RetryPolicy = z.infer<typeof retryPolicy>;
export type StageDefinition = z.infer<typeof stageDefinition>;

/** A definition as stored: every change makes a new version, and the version used is in each request's log. */
export type Stage = StageDefinition & { version: number };

/** How long to wait after failed attempt number `attempt` (1 = the first). Exponential, bounded, with jitter. */
export function retryDelay(policy: RetryPolicy, attempt: number, random: () => number): number {
  const whole = Math.min(policy.maxDelayMs, policy.firstDelayMs * policy.factor ** (attempt - 1));
  return Math.round(whole * (1 - policy.jitter * random()));
}
