import { z } from 'zod';

const seconds = z.number().nonnegative();
const between = z
  .tuple([seconds, seconds])
  .refine(([least, most]) => least <= most, 'the first number must not be above the second');

const stage = z.strictObject({
  name: z.string().min(1),
  /** The time of a message is uniformly distributed between these two. */
  time: between,
  priority: z.number().min(-1).default(0),
  /** Only workers with all these labels can serve it. */
  labels: z.array(z.string()).default([]),
});

const workers = z.strictObject({
  count: z.int().positive().default(1),
  labels: z.array(z.string()).default([]),
  /** Stages that it fails to load, each time it tries. */
  unable: z.array(z.string()).default([]),
  /** The time to load a stage, or to fail. Default: `reconfiguration`. */
  loading: seconds.optional(),
});

const arrivals = z.strictObject({
  /** The stages of these requests. Default: all stages in their order. */
  stages: z.array(z.string()).min(1).optional(),
  /** Number of requests in one series, which arrive at the same time. */
  count: z.int().positive().default(1),
  /** Time from one series to the next. */
  every: z.number().positive(),
  series: z.int().positive(),
  start: seconds.default(0),
  /** Times between series are random, with `every` as their mean. */
  random: z.boolean().default(false),
});

/** A change by an administrator during the run. */
const change = z.strictObject({ at: seconds, stage: z.string(), priority: z.number().min(-1) });

/** An amount that a computer can simulate in a minute or two and keep in memory. */
const mostRequests = 100_000;
const mostWorkers = 10_000;

/** The workload of a simulation. All times are in seconds. */
export const workload = z
  .strictObject({
    /** Default: the name of the file. */
    name: z.string().optional(),
    about: z.string().optional(),
    stages: z.array(stage).min(1),
    workers: z.array(workers).min(1),
    arrivals: z.array(arrivals).min(1),
    changes: z.array(change).default([]),
    /** The time of a switch. It starts after the current message. */
    reconfiguration: seconds.default(10),
    /** The time of a switch to a stage that is already loaded. Default: as long as a cold switch. */
    warm: seconds.optional(),
    /** Time between two plans. */
    planning: z.number().positive().default(10),
    /** MMN of the parametric policy. */
    minimumMessages: z.number().nonnegative().default(10),
    averages: z
      .strictObject({
        /** The watchdog's estimate for a stage before the first message. Default: unknown. */
        initial: seconds.optional(),
        /** `mean`, like our watchdog; `halving`, like the seed: (old + measured) / 2. */
        rule: z.enum(['mean', 'halving']).default('mean'),
        /** Multiplies all averages by this factor, to see how a policy copes with wrong ones. */
        factor: z.number().positive().default(1),
      })
      .prefault({}),
  })
  .superRefine((load, context) => {
    const requests = load.arrivals.reduce((sum, { count, series }) => sum + count * series, 0);
    if (requests > mostRequests)
      context.addIssue(`${requests} requests: at most ${mostRequests} can be simulated`);
    if (load.workers.reduce((sum, { count }) => sum + count, 0) > mostWorkers)
      context.addIssue(`at most ${mostWorkers} workers can be simulated`);
    const known = new Set(load.stages.map((each) => each.name));
    if (known.size < load.stages.length) context.addIssue('two stages have the same name');
    const named = [
      ...load.arrivals.flatMap((each) => each.stages ?? []),
      ...load.changes.map((each) => each.stage),
      ...load.workers.flatMap((each) => each.unable),
    ];
    for (const name of named) {
      if (!known.has(name)) context.addIssue(`there is no stage ${name}; use ${[...known].join(', ')}`);
    }
    for (const { name, labels } of load.stages) {
      const suited = load.workers.filter((some) => labels.every((label) => some.labels.includes(label)));
      if (suited.length === 0)
        context.addIssue(`no worker has the labels that stage ${name} needs: ${labels.join(', ')}`);
      else if (suited.every(({ unable }) => unable.includes(name)))
        context.addIssue(`no worker can load stage ${name}`);
    }
  });

export type Workload = z.infer<typeof workload>;
/** As written, before defaults are filled in. */
export type WorkloadText = z.input<typeof workload>;
