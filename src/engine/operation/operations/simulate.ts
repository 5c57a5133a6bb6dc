import { z } from 'zod';
import { PismakError } from '../../ground/errors.ts';
import { type Workload, workload } from '../../simulation/workload.ts';
import { workloads } from '../../simulation/workloads.ts';
import { defineOperation } from '../operation.ts';
import { traceShape } from './trace.ts';

const policyNames = ['flow', 'parametric'] as const;
const seconds = z.number();

/** What one call may cost: a minute of one core at most, and an answer of a few MB. */
const most = { workers: 300, stages: 300, runs: 200_000, cells: 50_000 };

export const watchdogSimulate = defineOperation({
  name: 'watchdog.simulate',
  summary:
    'Simulate a workload of your own under the policies of the watchdog, in virtual time, with the chart of the first run',
  role: 'admin',
  owner: 'none',
  heavy: 'work',
  deadlineMs: 90_000,
  // Nothing is changed, but a workload is too long for an address.
  changes: true,
  input: z.strictObject({
    workload: z
      .union([z.enum(Object.keys(workloads) as [string, ...string[]]), workload])
      .describe(
        'Name of a built-in workload, or one of yours as in docs/watchdog.md: stages with the times of their messages, workers, arrivals, all in seconds',
      ),
    policies: z
      .array(z.enum(policyNames))
      .min(1)
      .max(2)
      .default(['flow'])
      .describe('Policies to compare with the same work'),
    seed: z.int().min(0).max(1e9).default(1).describe('The same seed gives the same work'),
    seeds: z
      .int()
      .min(1)
      .max(50)
      .default(1)
      .describe('Number of runs, with this seed and the following ones; the figures are means'),
    steps: z.int().min(10).max(1000).default(300).describe('Time steps of the chart'),
  }),
  output: z.strictObject({
    reports: z
      .array(
        z.strictObject({
          policy: z.enum(policyNames),
          workload: z.string(),
          seed: z.int(),
          seeds: z.int(),
          requests: z.number(),
          finished: z.number(),
          referenceMean: seconds.describe(
            'Mean time in the system if switching cost nothing and requests were served in the order of arrival; all times are in seconds',
          ),
          meanTimeInSystem: seconds,
          medianTimeInSystem: seconds,
          p95TimeInSystem: seconds,
          maxTimeInSystem: seconds,
          waiting: z.record(z.string(), seconds).describe('Mean waiting for each stage'),
          switches: z.number(),
          makespan: seconds.describe('From the first arrival to the last end'),
          utilisation: z.number().describe("Share of the workers' time spent on messages"),
          switching: z.number().describe('Share spent on switching'),
          trace: z.strictObject(traceShape).describe('The run of the first seed, in milliseconds'),
        }),
      )
      .max(2),
  }),
  example: { workload: 'seed', policies: ['flow', 'parametric'], seeds: 5 },
  async handler({ signal }, { workload: given, policies, seed, seeds, steps }) {
    const load =
      typeof given === 'string' ? workload.parse({ name: given, ...workloads[given] }) : checked(given);
    const runs = requestsOf(load) * seeds * policies.length;
    if (runs > most.runs)
      throw new PismakError(
        'too-large',
        `${runs} requests in all runs: at most ${most.runs}; take fewer seeds, policies or arrivals`,
      );
    const { simulateApart } = await import('../../simulation/simulate-apart.ts');
    const rows = load.stages.length + workersOf(load);
    const columns = Math.max(10, Math.min(steps, Math.floor(most.cells / rows)));
    return { reports: await simulateApart({ load, policies, seed, seeds, steps: columns }, signal) };
  },
});

function checked(load: Workload): Workload {
  if (load.stages.length > most.stages || workersOf(load) > most.workers)
    throw new PismakError(
      'too-large',
      `at most ${most.stages} stages and ${most.workers} workers can be simulated here; \`pismak simulate\` takes more`,
    );
  return load;
}

const workersOf = ({ workers }: Workload) => workers.reduce((sum, { count }) => sum + count, 0);
const requestsOf = ({ arrivals }: Workload) =>
  arrivals.reduce((sum, { count, series }) => sum + count * series, 0);

export const simulateOperations = [watchdogSimulate];
