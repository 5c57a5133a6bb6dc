import { PgBoss } from 'pg-boss';
import { untilNone } from './postgres-part.ts';
import { bodyBytes, type Contender, jobs, secondsSince, Tally } from './work.ts';

/** Jobs of one insert; more were no faster. */
const batch = 1000;
/** By default, each worker takes one job every two seconds. */
const fewer = 40;
const data = { data: 'x'.repeat(bodyBytes) };
const queue = 'jobs';

/** pg-boss with its workers in our process: tuned for speed as its documentation says, and with defaults. */
export function pgBoss(createDatabase: () => Promise<string>): Contender[] {
  return [
    {
      name: 'pg-boss, batches',
      terms: `insert of ${batch}, LISTEN/NOTIFY, fetches of 100 one after the other while they are full`,
      run: (concurrency) =>
        measure(
          jobs,
          {
            localConcurrency: concurrency,
            batchSize: 100,
            burstWhenBatchFull: true,
            pollingIntervalSeconds: 0.5,
            notifyPollingIntervalSeconds: 0.5,
          },
          async (boss) => {
            for (let from = 0; from < jobs; from += batch) {
              await boss.insert(
                queue,
                Array.from({ length: batch }, () => ({ data })),
              );
            }
          },
        ),
    },
    {
      name: 'pg-boss, default',
      terms: `send, one after the other; a worker takes one job every two seconds (${fewer} jobs)`,
      jobs: fewer,
      run: (concurrency) =>
        measure(fewer, { localConcurrency: concurrency }, async (boss) => {
          for (let sent = 0; sent < fewer; sent++) await boss.send(queue, data);
        }),
    },
  ];

  async function measure(count: number, how: object, add: (boss: PgBoss) => Promise<void>) {
    const isFast = count === jobs;
    const connectionString = await createDatabase();
    const boss = new PgBoss({ connectionString, useListenNotify: isFast, schedule: false, supervise: false });
    let tally = new Tally(count);
    boss.on('error', (error: unknown) => tally.fail(error));
    await boss.start();
    await boss.createQueue(queue, { notify: isFast });
    const work = () =>
      boss.work(queue, how, async (some) => {
        tally.add(some.length);
      });
    const allGone = async () => {
      await tally.finished;
      await untilNone(connectionString, `SELECT 1 FROM pgboss.job WHERE state < 'completed' LIMIT 1`);
    };
    try {
      await work();
      const start = performance.now();
      await Promise.all([add(boss), allGone()]);
      const endToEnd = secondsSince(start);
      await boss.offWork(queue);
      const again = performance.now();
      await add(boss);
      const enqueue = secondsSince(again);
      tally = new Tally(count);
      await work();
      await allGone();
      return { 'end to end': endToEnd, enqueue, work: secondsSince(tally.begunAt) };
    } finally {
      await boss.stop({ graceful: false });
    }
  }
}
