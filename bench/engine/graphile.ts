import { Logger, makeWorkerUtils, type Runner, run, type WorkerUtils } from 'graphile-worker';
import { untilNone } from './postgres-part.ts';
import { bodyBytes, type Contender, inWindow, jobs, secondsSince, Tally } from './work.ts';

/** Jobs of one addJobs, as its performance page adds them: in one batch. */
const batch = 1000;
/** Without batches each job costs several commits: fewer jobs are enough to measure the rate. */
const fewer = jobs / 5;
const payload = { data: 'x'.repeat(bodyBytes) };
const silent = new Logger(() => () => {});

/** graphile-worker with its workers in our process: tuned for speed as its documentation says, and with defaults. */
export function graphile(createDatabase: () => Promise<string>): Contender[] {
  return [
    {
      name: 'graphile-worker, batches',
      terms: `addJobs of ${batch}, local queue of 500, completions in batches without delay`,
      run: (concurrency) =>
        measure(
          concurrency,
          jobs,
          { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
          async (utils) => {
            for (let from = 0; from < jobs; from += batch) {
              await utils.addJobs(Array.from({ length: batch }, () => ({ identifier: 'job', payload })));
            }
          },
        ),
    },
    {
      name: 'graphile-worker, default',
      terms: `addJob, 100 at a time; each job is fetched and completed alone (${fewer} jobs)`,
      jobs: fewer,
      run: (concurrency) =>
        measure(concurrency, fewer, {}, (utils) => inWindow(fewer, 100, () => utils.addJob('job', payload))),
    },
  ];

  async function measure(
    concurrency: number,
    count: number,
    batching: GraphileConfig.WorkerOptions,
    add: (utils: WorkerUtils) => Promise<void>,
  ) {
    const connectionString = await createDatabase();
    const worker = {
      connectionString,
      concurrentJobs: concurrency,
      maxPoolSize: concurrency + 1,
      ...batching,
    };
    const preset = { worker };
    const utils = await makeWorkerUtils({ preset, logger: silent });
    await utils.migrate();
    let tally = new Tally(count);
    let runner: Runner | undefined;
    const work = async () => {
      const taskList = {
        job: async () => {
          tally.begin();
          tally.add();
        },
      };
      runner = await run({ preset, taskList, logger: silent, noHandleSignals: true, parsedCronItems: [] });
      runner.promise.catch((error: unknown) => tally.fail(error));
    };
    const allGone = async () => {
      await tally.finished;
      await untilNone(connectionString, 'SELECT 1 FROM graphile_worker._private_jobs LIMIT 1');
    };
    try {
      await work();
      const start = performance.now();
      await Promise.all([add(utils), allGone()]);
      const endToEnd = secondsSince(start);
      await runner?.stop();
      const again = performance.now();
      await add(utils);
      const enqueue = secondsSince(again);
      tally = new Tally(count);
      await work();
      await allGone();
      return { 'end to end': endToEnd, enqueue, work: secondsSince(tally.begunAt) };
    } finally {
      await runner?.stop().catch(() => {});
      await utils.release();
    }
  }
}
