import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { PgBoss } from 'pg-boss';
import { openPostgresBroker } from '../../../src/engine/broker/postgres.ts';
import { systemClock } from '../../../src/engine/time/clock.ts';
import { bodyBytes } from '../work.ts';
import { batch, concurrency, type Flowing, Supply } from './flow.ts';

const each = <T>(make: (index: number) => T) => Array.from({ length: batch }, (_, index) => make(index));

export const pismak: Flowing = {
  name: 'Pismak on PostgreSQL',
  async start(url) {
    const broker = await openPostgresBroker({ url, clock: systemClock });
    await broker.declare('jobs');
    const body = new Uint8Array(bodyBytes).fill(120);
    const supply = new Supply(() =>
      Promise.all(each((n) => broker.publish('jobs', { id: `job-${n}`, body }))),
    );
    await broker.consume('jobs', { concurrency }, async (delivery) => {
      await delivery.ack();
      supply.handled();
    });
    return {
      get done() {
        return supply.done;
      },
      async stop() {
        await supply.stop();
        await broker.close();
      },
    };
  },
};

/** With batches and its local queue, as its documentation advises for speed. */
export const graphileWorker: Flowing = {
  name: 'graphile-worker, batches',
  async start(connectionString) {
    const logger = new Logger(() => () => {});
    const worker = { connectionString, concurrentJobs: concurrency, maxPoolSize: concurrency + 1 };
    const batches = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
    const preset = { worker: { ...worker, ...batches } };
    const utils = await makeWorkerUtils({ preset, logger });
    await utils.migrate();
    const payload = { data: 'x'.repeat(bodyBytes) };
    const supply = new Supply(() => utils.addJobs(each(() => ({ identifier: 'job', payload }))));
    const taskList = { job: async () => supply.handled() };
    const runner = await run({ preset, taskList, logger, noHandleSignals: true, parsedCronItems: [] });
    return {
      get done() {
        return supply.done;
      },
      async stop() {
        await supply.stop();
        await runner.stop();
        await utils.release();
      },
    };
  },
};

/** With batches, and with its own upkeep, which deletes what is completed. */
export const pgBoss: Flowing = {
  name: 'pg-boss, batches',
  async start(connectionString) {
    const boss = new PgBoss({ connectionString, useListenNotify: true, schedule: false });
    boss.on('error', () => {});
    await boss.start();
    await boss.createQueue('jobs', { notify: true });
    const data = { data: 'x'.repeat(bodyBytes) };
    const supply = new Supply(() =>
      boss.insert(
        'jobs',
        each(() => ({ data })),
      ),
    );
    const how = {
      localConcurrency: concurrency,
      batchSize: 100,
      burstWhenBatchFull: true,
      pollingIntervalSeconds: 0.5,
      notifyPollingIntervalSeconds: 0.5,
    };
    await boss.work('jobs', how, async (some) => supply.handled(some.length));
    return {
      get done() {
        return supply.done;
      },
      async stop() {
        await supply.stop();
        await boss.stop({ graceful: false });
      },
    };
  },
};
