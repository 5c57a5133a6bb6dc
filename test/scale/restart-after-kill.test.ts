import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { workerList } from '../../src/engine/operation/operations/worker.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import { sharedPostgres } from '../../src/engine/testing/servers/shared.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { commands, endsWithUs, RunningPismak } from '../running-pismak.ts';
import { WorkerElsewhere } from './worker-elsewhere.ts';

let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
before(async () => {
  postgres = await sharedPostgres();
});
after(() => postgres.close());

const startMs = 60_000;

async function place(t: TestContext) {
  const [url, directory] = await Promise.all([postgres.createDatabase(), temporaryDirectory(t)]);
  const addresses = { broker: url, coordination: url, database: url, blobs: url };
  return {
    url,
    directory,
    up(name: string, workers: number) {
      const settings = { ...addresses, 'worker.count': workers };
      const up = new RunningPismak(join(directory, name), settings, [...endsWithUs, ...commands.up]);
      t.after(() => up.kill());
      return up;
    },
    worker(id: string) {
      const worker = new WorkerElsewhere(join(directory, id), url, id);
      t.after(() => worker.end('SIGKILL'));
      return worker;
    },
  };
}

async function living(up: RunningPismak): Promise<string[]> {
  const { workers } = await up.client().call(workerList, {});
  return workers.filter(({ presence }) => presence !== null).map(({ id }) => id);
}

const named = (...numbers: number[]) => numbers.map((number) => `${hostname()}-${number}`);

test('up that is killed and started at once starts, with the same workers', async (t) => {
  const up = (await place(t)).up('one', 2);
  await up.start();
  assert.deepEqual(await living(up), named(1, 2));
  await up.restart();
  assert.match(up.output, /this worker was killed before; taking its place/);
  assert.deepEqual(await living(up), named(1, 2));
});

test('a second up on the same machine gives its workers other names', async (t) => {
  const { up } = await place(t);
  const [one, two] = [up('one', 2), up('two', 2)];
  await one.start();
  await two.start();
  assert.deepEqual(await living(one), named(1, 2, 3, 4));
});

test('a worker that is killed and started at once serves; a second one of its name says so, once, and waits', async (t) => {
  const { up: newUp, worker } = await place(t);
  const up = newUp('one', 0);
  await up.start();
  const first = worker('far');
  await eventually('it serves', async () => (await living(up)).includes('far'), startMs);
  await first.end('SIGKILL');
  const second = worker('far');
  await eventually('it takes its place', () => second.output.includes('worker started'), startMs);
  assert.doesNotMatch(second.output, /cannot|waiting/);

  const third = worker('far');
  await eventually('it says why it waits', () => third.output.includes('is running'), startMs);
  assert.match(
    third.output,
    /the name of this worker is taken.*a worker named far is running \(process \d+ on /,
  );
  await second.end('SIGINT');
  await eventually(
    'it goes on when the name is free',
    () => third.output.includes('worker started'),
    startMs,
  );
  assert.equal(third.output.match(/is running/g)?.length, 1, third.output);
});
