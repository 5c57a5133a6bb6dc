import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { blobsSchemes } from '../blobs/open.ts';
import { brokerSchemes } from '../broker/open.ts';
import { coordinationSchemes } from '../coordination/open.ts';
import { databaseSchemes } from '../database/schemes.ts';

const webUrl = z
  .url({ protocol: /^https?$/, error: 'must be a URL that begins with http:// or https://' })
  .meta({ allowed: 'a URL that begins with http:// or https://' });

const addressRange = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
    error: 'must be an address or a range such as 10.0.0.0/8',
  })
  .meta({ allowed: 'an address or a range such as 10.0.0.0/8' });

/**
 * Every setting of the engine, with its default; each house adds a section (`defineSettings`). Values come from the defaults, `pismak.toml`, the environment
 * (`PISMAK_HTTP_PORT`) and the command line; each layer overrides the one before. `origins` says where a value came from.
 */
export const settingsSchema = z.strictObject({
  data: z
    .string()
    .min(1)
    .default('.pismak')
    .describe('Directory for all data of the embedded tier')
    .meta({ isPath: true }),
  broker: adapterUrl(brokerSchemes).default('sqlite:').describe('Where queues are stored'),
  coordination: adapterUrl(coordinationSchemes)
    .default('embedded:')
    .describe('Where workers and services coordinate'),
  database: adapterUrl(databaseSchemes)
    .default('sqlite:')
    .describe('Where definitions, users and history are stored'),
  blobs: adapterUrl(blobsSchemes)
    .default('directory:')
    .describe('Where blobs (the contents of files) are stored'),

  rabbitmq: z
    .strictObject({
      consumerTimeoutMs: z
        .int()
        .min(0)
        .default(1_800_000)
        .describe(
          "consumer_timeout of the RabbitMQ servers; a stage's timeout must be shorter. 0 = the servers have none",
        ),
    })
    .prefault({}),

  zookeeper: z
    .strictObject({
      allowOpenNodes: z
        .boolean()
        .default(false)
        .describe(
          'Allow a ZooKeeper URL without a user: everyone who reaches ZooKeeper can then read the passwords of the other servers and control the workers',
        ),
    })
    .prefault({}),

  http: z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('Address to listen on'),
      port: z
        .int()
        .min(0)
        .max(65535)
        .default(7475)
        .describe('Port of the API and the console; 0 = any free port'),
      publicUrl: webUrl
        .optional()
        .describe('URL that users open, if it differs from host and port (behind a proxy)'),
      hosts: z
        .array(z.string().regex(/^[\w.-]{1,253}$/, 'must be a host name, without a port'))
        .default([])
        .describe(
          'Further names of this server. Requests may name an IP address, localhost, this machine, the host of publicUrl or one of these; others are refused (DNS rebinding)',
        ),
      trustProxy: z
        .boolean()
        .default(false)
        .describe('Trust X-Forwarded-* headers; only behind a proxy that sets them'),
      proxyAddresses: z
        .array(addressRange)
        .default(['127.0.0.0/8', '::1'])
        .describe('Addresses of the proxies that trustProxy trusts, single or as ranges such as 10.0.0.0/8'),
      openMetrics: z
        .boolean()
        .default(false)
        .describe('Let everybody who can reach the server read /metrics; otherwise it needs a key'),
      bodyLimitMb: z
        .number()
        .positive()
        .default(64)
        .describe('Largest body of an upload; JSON has its own, lower limits'),
      connections: z.int().min(1).default(2000).describe('Connections that may be open at once'),
      connectionsPerAddress: z
        .int()
        .min(1)
        .default(400)
        .describe('Connections from one address; behind a trusted proxy, requests of one client at once'),
      requestsPerMinute: z
        .int()
        .positive()
        .default(6000)
        .describe('Limit per user, or per address without a sign-in; failed sign-ins have separate limits'),
    })
    .prefault({}),

  console: z
    .strictObject({
      enabled: z.boolean().default(true).describe('Serve the web console below /console/'),
    })
    .prefault({}),

  access: z
    .strictObject({
      keysPerUser: z.int().min(1).default(50).describe('Valid keys that one user may have'),
    })
    .prefault({}),

  upload: z
    .strictObject({
      limitMb: z.number().positive().default(4096).describe('Largest upload, whole or in parts'),
      open: z
        .int()
        .min(0)
        .default(100)
        .describe('Unfinished uploads in parts that one user may have; 0 = no limit'),
      unusedMb: z
        .number()
        .min(0)
        .default(20_480)
        .describe("Total size of one user's uploads that nothing uses yet; 0 = no limit"),
    })
    .prefault({}),

  limits: z
    .strictObject({
      pipelines: z
        .int()
        .min(0)
        .default(100)
        .describe('Pipelines that one user may have; 0 = no limit. Administrators have none'),
      outputQueues: z
        .int()
        .min(0)
        .default(100)
        .describe('Output queues that one user may have; 0 = no limit. Administrators have none'),
      openRequests: z
        .int()
        .min(0)
        .default(20_000)
        .describe(
          'Submitted requests of one user that wait, run, or have results that nobody collected; 0 = no limit. Administrators have none',
        ),
    })
    .prefault({}),

  disk: z
    .strictObject({
      reserveMb: z
        .number()
        .min(0)
        .optional()
        .describe(
          'Disk space reserved for cleaning up: with less free, new work is refused (`disk-full`). By default the larger of 500 MB and 1 % of the disk, at most a tenth of it and 5 GB',
        ),
    })
    .prefault({}),

  worker: z
    .strictObject({
      count: z.int().min(0).max(1000).default(defaultWorkers()).meta({
        description: 'Number of workers that `pismak up` starts',
        defaultInWords: 'one per core, at least 2',
      }),
      labels: z
        .array(z.string().min(1))
        .default([])
        .describe('Labels of these workers, e.g. gpu; a stage can require labels'),
      heartbeatMs: z.int().min(50).default(2000).describe('How often a worker reports its state'),
      drainMs: z
        .int()
        .min(0)
        .default(30_000)
        .describe('How long a stopping worker may take to finish its messages'),
      keepLoaded: z
        .int()
        .min(1)
        .default(4)
        .describe(
          'Number of stages that a worker keeps loaded after a switch, and that one process keeps loaded',
        ),
      idleProcessMs: z
        .int()
        .min(0)
        .default(300_000)
        .describe('How long a processor process may be idle before it is stopped'),
      sharedProcesses: z
        .int()
        .min(1)
        .default(8)
        .describe('Maximum number of processes that one worker uses for shared stages'),
    })
    .prefault({}),

  watchdog: z
    .strictObject({
      policy: z
        .enum(['flow', 'parametric'])
        .default('flow')
        .describe('Policy that assigns workers to stages'),
      periodMs: z.int().min(50).default(1000).describe('Time between two plans'),
      minimumMessages: z
        .number()
        .min(0)
        .default(10)
        .describe('MMN: messages that a worker serves before it may be moved again'),
      reconfigurationMs: z
        .int()
        .min(0)
        .default(10_000)
        .describe('MRT: time that a switch is expected to take'),
      patienceMs: z
        .int()
        .min(1000)
        .default(600_000)
        .describe('Policy flow: a stage that no worker has served for this long comes first'),
    })
    .prefault({}),

  trace: z
    .strictObject({
      keepDays: z
        .number()
        .positive()
        .max(3650)
        .default(7)
        .describe('How long the trace is kept: which worker served which stage, and when'),
      maxMb: z
        .number()
        .positive()
        .max(10_000)
        .default(100)
        .describe('Maximum size of the trace; the oldest entries are deleted first'),
    })
    .prefault({}),

  alerts: z
    .strictObject({
      webhooks: z.array(webUrl).default([]).describe('URLs that receive each alert as a signed POST'),
      repeatMs: z
        .int()
        .min(0)
        .default(3_600_000)
        .describe('How often an alert is sent again while its cause lasts'),
      diskFreeMb: z
        .number()
        .min(0)
        .default(1024)
        .describe('Raise an alert when free disk space falls below this'),
      noWorkerMs: z
        .int()
        .min(0)
        .default(60_000)
        .describe('Raise an alert when work has waited this long and no worker serves it'),
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
        .describe('Lowest level that is logged'),
    })
    .prefault({}),
  sandbox: z
    .strictObject({
      use: z
        .enum(['auto', 'require', 'off'])
        .default('auto')
        .describe(
          'Run processors without access to databases, keys, logs and blobs (bubblewrap, or namespaces). auto: if this machine can; require: otherwise refuse to run them, and if decoders of foreign files are not held apart',
        ),
    })
    .prefault({}),
  backup: z
    .strictObject({
      directory: z
        .string()
        .min(1)
        .optional()
        .describe('Directory for backups, better on another disk; by default `backups` in the data directory')
        .meta({ isPath: true }),
    })
    .prefault({}),
  command: z
    .strictObject({
      allow: z
        .array(z.string().regex(/^(\*|\/.*)$/, 'must be an absolute path, or * for everything'))
        .default([])
        .describe(
          'Programs that stages may run on this machine (processor `command`, `ENGINE = command`): paths, where `*` stands for any characters but a slash; an interpreter or `*` alone makes every administrator’s key a shell of this machine',
        ),
    })
    .prefault({}),
  processors: z
    .record(z.string(), z.string())
    .default({})
    .describe('Your own processors: name = "path of a module"'),
});

/** Also contains the sections of the houses: read them with `sectionOf`. */
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
