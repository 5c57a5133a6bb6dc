import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { blobsSchemes } from '../blobs/open.ts';
import { brokerSchemes } from '../broker/open.ts';
import { coordinationSchemes } from '../coordination/open.ts';
import { databaseSchemes } from '../database/schemes.ts';

/**
 * Every setting of the engine, with its default; houses add a section each (`defineSettings`). The same tree is read from defaults, `pismak.toml`, the environment
 * (`PISMAK_HTTP_PORT`) and the command line, each over the one before; `origins` tells where a value came from.
 */
export const settingsSchema = z.strictObject({
  data: z.string().min(1).default('.pismak').describe('Directory that holds all state of the embedded tier'),
  broker: adapterUrl(brokerSchemes).default('sqlite:').describe('Where queues live'),
  coordination: adapterUrl(coordinationSchemes)
    .default('embedded:')
    .describe('Where workers and services meet'),
  database: adapterUrl(databaseSchemes)
    .default('sqlite:')
    .describe('Where definitions, users and history live'),
  blobs: adapterUrl(blobsSchemes).default('directory:').describe('Where bytes live'),

  rabbitmq: z
    .strictObject({
      consumerTimeoutMs: z
        .int()
        .min(0)
        .default(1_800_000)
        .describe(
          "The servers' consumer_timeout, which a stage's timeout must stay below; 0 when they have none",
        ),
    })
    .prefault({}),

  http: z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('Address to listen on'),
      port: z.int().min(0).max(65535).default(7475).describe('Port of API and console; 0 takes a free one'),
      publicUrl: z.url().optional().describe('How users reach it, when behind a proxy'),
      trustProxy: z.boolean().default(false).describe('Believe X-Forwarded-* headers'),
      bodyLimitMb: z.number().positive().default(64).describe('Largest request body'),
      requestsPerMinute: z
        .int()
        .positive()
        .default(6000)
        .describe('Per caller; signing in has its own, lower limit'),
    })
    .prefault({}),

  upload: z
    .strictObject({
      limitMb: z.number().positive().default(4096).describe('Largest upload, whole or in parts'),
      open: z
        .int()
        .min(0)
        .default(100)
        .describe('Uploads in parts that a user may have under way; 0 = no limit'),
      unusedMb: z
        .number()
        .min(0)
        .default(20_480)
        .describe('Uploads of a user that nothing uses yet may take this much together; 0 = no limit'),
    })
    .prefault({}),

  worker: z
    .strictObject({
      count: z
        .int()
        .min(0)
        .max(1000)
        .default(defaultWorkers())
        .meta({ description: 'Workers that `up` starts', defaultInWords: 'one per core, at least 2' }),
      labels: z.array(z.string().min(1)).default([]).describe('What they can do, e.g. gpu'),
      heartbeatMs: z.int().min(50).default(2000).describe('How often a worker reports'),
      drainMs: z.int().min(0).default(30_000).describe('How long a stopping worker lets messages finish'),
      keepLoaded: z
        .int()
        .min(1)
        .default(4)
        .describe('Stages that stay loaded after a switch, and stages that one process keeps loaded'),
      idleProcessMs: z
        .int()
        .min(0)
        .default(300_000)
        .describe('How long a processor process may have nothing to do before it ends'),
      sharedProcesses: z
        .int()
        .min(1)
        .default(8)
        .describe('Most processes that one worker uses at once for shared stages'),
    })
    .prefault({}),

  watchdog: z
    .strictObject({
      policy: z.enum(['flow', 'parametric']).default('flow').describe('How workers are assigned'),
      periodMs: z.int().min(50).default(1000).describe('Time between two plans'),
      minimumMessages: z.number().min(0).default(10).describe('MMN: messages before a worker may be moved'),
      reconfigurationMs: z
        .int()
        .min(0)
        .default(10_000)
        .describe('MRT: time that a switch is reckoned to take'),
      patienceMs: z
        .int()
        .min(1000)
        .default(600_000)
        .describe('Policy flow: work that nobody serves for this long comes first'),
    })
    .prefault({}),

  trace: z
    .strictObject({
      keepDays: z
        .number()
        .positive()
        .max(3650)
        .default(7)
        .describe('How long it is kept who served what when'),
      maxMb: z.number().positive().max(10_000).default(100).describe('It never takes more than this'),
    })
    .prefault({}),

  alerts: z
    .strictObject({
      webhooks: z.array(z.url()).default([]).describe('Each alert is posted there, signed'),
      repeatMs: z.int().min(0).default(3_600_000).describe('An alert that lasts is told again this often'),
      diskFreeMb: z.number().min(0).default(1024).describe('Less free space than this raises an alert'),
      noWorkerMs: z
        .int()
        .min(0)
        .default(60_000)
        .describe('Work that waits this long with no worker raises one'),
    })
    .prefault({}),
  webhook: z
    .strictObject({
      allowPrivate: z.boolean().default(false).describe('Let webhooks reach private and loopback addresses'),
    })
    .prefault({}),

  log: z
    .strictObject({
      level: z
        .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
        .default('info')
        .describe('Least severe lines that are logged'),
    })
    .prefault({}),
  processors: z
    .record(z.string(), z.string())
    .default({})
    .describe('Processors of your own: name = "path of a module"'),
});

/** The sections of houses are there too: read them with `sectionOf`. */
export type Settings = z.infer<typeof settingsSchema>;

/** A URL whose scheme chooses the adapter. Credentials in it are masked wherever it is shown. */
function adapterUrl(schemes: readonly string[]) {
  const beginnings = schemes.map((scheme) => `${scheme}:`).join(' or ');
  return z
    .string()
    .refine((value) => schemes.some((scheme) => value.startsWith(`${scheme}:`)), {
      error: `must begin with ${beginnings}`,
    })
    .meta({ allowed: `a URL that begins with ${beginnings}` });
}

function defaultWorkers(): number {
  return Math.max(2, availableParallelism());
}
