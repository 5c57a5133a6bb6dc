import { z } from 'zod';

/** A stage is a queue, a configuration and a processor. The queue has the stage's name. */
export const stageName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    'a name is 1 to 100 letters, digits, dots, dashes or underscores, and starts with a letter or digit',
  );

/** Described before their defaults: a change of a stage takes the same fields without defaults. */
export const retryPolicy = z.strictObject({
  attempts: z.int().min(1).max(100).describe('Attempts in all before a request fails for good').default(3),
  firstDelayMs: z.int().min(0).describe('Delay after the first failed attempt').default(1000),
  factor: z.number().min(1).max(100).describe('Each delay is this many times the one before').default(4),
  maxDelayMs: z.int().min(0).describe('Longest delay').default(3_600_000),
  jitter: z
    .number()
    .min(0)
    .max(1)
    .describe("Random share of the delay, so that failures don't come back in step")
    .default(0.2),
});

export const stageFile = z.strictObject({
  name: z.string().min(1),
  hash: z.string().describe('SHA-256 of an upload'),
  size: z.int().describe('Bytes'),
});

export const stageDefinition = z.strictObject({
  name: stageName,
  processor: z.string().min(1).describe('One of `stage.processors`'),
  mode: z
    .enum(['exclusive', 'shared'])
    .describe(
      'exclusive: CPU-bound, planned by the watchdog; shared: I/O-bound or tiny, served by every worker',
    )
    .default('exclusive'),
  config: z.string().max(400_000).describe('Configuration of the processor, in its own format').default(''),
  files: z.array(stageFile).describe('Files for the processor, such as models and dictionaries').default([]),
  priority: z
    .number()
    .min(-1)
    .max(1_000_000)
    .describe('-1: no workers are planned for it; 0: as computed; more: more workers')
    .default(0),
  labels: z.array(z.string().min(1)).describe('Only workers with all these labels serve it').default([]),
  concurrency: z.int().min(1).max(1000).describe('Messages that one worker processes at once').default(1),
  retry: retryPolicy.prefault({}),
  timeoutMs: z.int().min(1).describe('An attempt that takes longer fails').default(600_000),
  memoryMb: z
    .int()
    .min(32)
    .describe('A processor that outgrows it is restarted between two messages; far beyond it, at once')
    .default(1024),
  foreignPriority: z
    .boolean()
    .describe('Let programs that publish to its queue directly (RabbitMQ) ask for priority')
    .default(true),
  maxLength: z
    .int()
    .min(1)
    .nullable()
    .describe('Most messages that may wait in its queue; null: no limit')
    .default(null),
});

export type RetryPolicy = z.infer<typeof retryPolicy>;
export type StageDefinition = z.infer<typeof stageDefinition>;

/** A stored definition. Every change makes a new version, and each request's log names the version used. */
export type Stage = StageDefinition & { version: number };

/** The delay after failed attempt number `attempt` (1 = the first). Exponential, bounded, with jitter. */
export function retryDelay(policy: RetryPolicy, attempt: number, random: () => number): number {
  const whole = Math.min(policy.maxDelayMs, policy.firstDelayMs * policy.factor ** (attempt - 1));
  return Math.round(whole * (1 - policy.jitter * random()));
}
