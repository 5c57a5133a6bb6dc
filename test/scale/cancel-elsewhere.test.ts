import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { queueList } from '../../src/engine/operation/operations/queue.ts';
import { requestCancel, requestSubmit } from '../../src/engine/operation/operations/request.ts';
import { resultsTake } from '../../src/engine/operation/operations/results.ts';
import { stageCreate } from '../../src/engine/operation/operations/stage.ts';
import { decodeRequest } from '../../src/engine/request/request.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import { sharedPostgres } from '../../src/engine/testing/servers/shared.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { statisticsTable } from '../../src/statistics/operations/read.ts';
import { commands, endsWithUs, RunningPismak } from '../running-pismak.ts';
import { lastFirst } from './last-first.ts';
import { WorkerElsewhere } from './worker-elsewhere.ts';

test('a request that runs on another machine ends when it is cancelled, and is counted', {
  timeout: 200_000,
}, async (t) => {
  const after = lastFirst(t);
  const postgres = await sharedPostgres();
  after(() => postgres.close());
  const directory = await temporaryDirectory(t);
  const url = await postgres.createDatabase();
  const up = new RunningPismak(
    join(directory, 'up'),
    { broker: url, coordination: url, database: url, blobs: url, 'worker.count': 0 },
    [...endsWithUs, ...commands.up],
  );
  after(() => up.kill());
  await up.start();
  const client = up.client();
  after(() => client.close());
  const worker = new WorkerElsewhere(join(directory, 'worker'), url, 'elsewhere', endsWithUs);
  after(() => worker.end('SIGKILL'));

  // Ten minutes each, on a shared stage.
  const config = 'DUMMY = True\nTIME_SCALE = 0\nTIME_DIFF_MIN = 600\nTIME_DIFF_MAX = 600\n';
  await client.call(stageCreate, {
    name: 'long',
    processor: 'dummy',
    mode: 'shared',
    config,
    concurrency: 2,
  });
  const submit = () => client.call(requestSubmit, { stages: ['long', 'out'], files: [] });
  const { uuid } = await submit();
  await submit();
  const running = async () =>
    (await client.call(queueList, {})).queues.find(({ name }) => name === 'long')?.inFlight;
  await eventually(`both run there: ${worker.output}`, async () => (await running()) === 2, 120_000);
  await client.call(requestCancel, { uuid });
  const { results } = await client.call(resultsTake, { queue: 'out', waitMs: 20_000 });
  assert.deepEqual(
    results.map((result) => result.uuid),
    [uuid],
  );
  const log = decodeRequest(Buffer.from(results[0]?.message ?? '', 'base64')).logs.at(-1);
  assert.deepEqual([log?.hostId, log?.status], ['elsewhere', 'Failed']);
  assert.match(log?.log ?? '', /cancelled$/);
  assert.equal(await running(), 1, 'the other one runs on');

  // What happens there is counted here: the worker sends it through the queue of statistics.
  const workers = { kind: 'worker', user: 'pismak', from: '2020-01-01', to: '2100-01-01' };
  const row = await eventually(`the statistics know of it: ${worker.output}`, async () =>
    (await client.call(statisticsTable, workers)).rows.find(({ entity }) => entity === 'elsewhere'),
  );
  assert.equal(row.sums.count, 1);
});
