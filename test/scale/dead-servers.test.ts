import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../src/engine/testing/eventually.ts';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { startRabbitCluster } from '../../src/engine/testing/servers/rabbitmq.ts';
import { startZookeeper } from '../../src/engine/testing/servers/zookeeper.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { commands, endsWithUs, RunningPismak } from '../running-pismak.ts';
import { lastFirst } from './last-first.ts';
import { WorkerElsewhere } from './worker-elsewhere.ts';

test('without its servers, up and a worker say so once, and end soon when asked to', async (t) => {
  const after = lastFirst(t);
  const directory = await temporaryDirectory(t);
  const postgres = await startPostgres();
  after(() => postgres.close());
  const rabbit = await startRabbitCluster(1);
  after(() => rabbit.close());
  const zookeeper = await startZookeeper({ size: 1 });
  after(() => zookeeper.close());
  const [database, { url: broker }] = await Promise.all([postgres.createDatabase(), rabbit.createHost()]);
  const coordination = `${zookeeper.url.replace('://', '://pismak:secret@')}/pismak`;
  const settings = { broker, coordination, database, blobs: database, 'worker.count': 2 };
  const up = new RunningPismak(join(directory, 'up'), settings, [...endsWithUs, ...commands.up]);
  after(() => up.kill());
  await up.start();
  const worker = new WorkerElsewhere(join(directory, 'worker'), coordination, 'far');
  after(() => worker.end('SIGKILL'));
  await eventually('it serves', () => worker.output.includes('worker started'));
  await Promise.all([postgres.close(), rabbit.close(), zookeeper.close()]);
  await eventually('the worker notices', () => worker.output.includes('this worker cannot serve'));
  assert.equal(worker.output.match(/cannot serve/g)?.length, 1, worker.output);
  // Both would wait for ever if they waited for their servers; up stops at the latest when its time is over.
  const ended = Promise.all([up.stop(), worker.end('SIGINT')]).then(() => true);
  await eventually('both end', () => Promise.race([ended, false]));
  assert.match(up.output, /Stopped/);
  assert.match(worker.output, /worker far is stopped/);
});
