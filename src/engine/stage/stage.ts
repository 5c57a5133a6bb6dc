import { z } from 'zod';

/** A stage is a queue, a configuration and a processor. The queue has the stage's name. */
export const stageName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    'a name is 1 to 100 letters, digits, dots, dashes or underscores, and starts with a letter or digit',
  );

export const retryPolicy = z.strictObject({
  /** Attempts in total before it fails for good. */
  attempts: z.int().min(1).max(100).default(3),
  firstDelayMs: z.int().min(0).default(1000),
  factor: z.number().min(1).max(100).default(4),
  maxDelayMs: z.int().min(0).default(3_600_000),
  /** Random share of the delay, so that failures don't come back in step. */
  jitter: z.number().min(0).max(1).default(0.2),
});

export const stageFile = z.strictObject({ name: z.string().min(1), hash: z.string(), size: z.int() });

export const stageDefinition = z.strictObject({
  name: stageName,
  processor: z.string().min(1),
  /** exclusive: CPU-bound, planned by the watchdog; shared: I/O-bound or tiny, served by every worker all the time. */
  mode: z.enum(['exclusive', 'shared']).default('exclusive'),
  /** The processor's configuration, in its own format. */
  config: z.string().max(400_000).default(''),
  /** Named files (models, dictionaries), kept as blobs. */
  files: z.array(stageFile).default([]),
  /** Administrative: -1 = never planned, 0 = as computed, more = more often. */
  priority: z.number().min(-1).max(1_000_000).default(0),
  /** Only workers that have all of these labels may serve it. */
  labels: z.array(z.string().min(1)).default([]),
  /** Messages that one worker processes at once. */
  concurrency: z.int().min(1).max(1000).default(1),
  retry: retryPolicy.prefault({}),
  timeoutMs: z.int().min(1).default(600_000),
  /** A processor that outgrows it is restarted between two messages; far beyond, at once. */
  memoryMb: z.int().min(32).default(1024),
  /** Limit on waiting messages in its queue; null = no limit. */
  maxLength: z.int().min(1).nullable().default(null),
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
