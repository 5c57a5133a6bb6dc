import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Engine } from '../../src/engine/composition/engine.ts';
import { decodeRequest, type Request } from '../../src/engine/request/request.ts';
import { submitRequest } from '../../src/engine/request/submit.ts';
import { settingsSchema } from '../../src/engine/settings/settings.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import { sharedPostgres } from '../../src/engine/testing/servers/shared.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { listWorkers } from '../../src/engine/worker/worker-record.ts';
import { startSystem } from '../../src/server/system.ts';
import { WorkerElsewhere } from '../scale/worker-elsewhere.ts';
import { laterMigration, makeLaterVersion } from './later-version.ts';
import { newerFieldsOf } from './newer-fields.ts';

const waitMs = 120_000;
const names = ['upgrade.first', 'upgrade.second', 'upgrade.third'];
const output = 'upgrade.out';

test('workers of this version and the next serve the same queues, and neither loses what the other adds', {
  timeout: 300_000,
}, async (t) => {
  const directory = await temporaryDirectory(t);
  const later = await makeLaterVersion(join(directory, 'later'));
  const postgres = await sharedPostgres();
  t.after(() => postgres.close());
  const url = await postgres.createDatabase();
  const engine = await startThisVersion(t, url, join(directory, 'leader'));
  const worker = async (id: string, through: string[] = []) => {
    const started = new WorkerElsewhere(join(directory, id), url, id, through);
    t.after(() => started.end('SIGKILL'));
    await eventually(
      `${id} is there`,
      async () =>
        (await listWorkers(engine.coordination)).some(({ record, presence }) => record.id === id && presence),
      waitMs,
    );
    return started;
  };

  await worker('this');
  await migrateBy(later, url, join(directory, 'migrated'));
  await worker('later', ['sh', '-c', `exec '${later}' "$@"`]);
  const restarted = await worker('this-again');
  assert.match(restarted.output, new RegExp(`newer version.*${laterMigration}.*continues`));

  const seen: Request[] = [];
  const hasOrder = (first: RegExp, second: RegExp) =>
    seen.some(({ logs }) =>
      logs.some((log, index) => first.test(log.hostId) && second.test(logs[index + 1]?.hostId ?? '')),
    );
  // Who takes which message is chance: it goes on until each has worked on what came from the other.
  for (let round = 0; !(hasOrder(/^later/, /^this/) && hasOrder(/^this/, /^later/)); round++) {
    assert.ok(round < 100, 'each version has worked on requests of the other');
    seen.push(...(await passThrough(engine, 10)));
  }
  for (const request of seen) {
    assert.deepEqual(request.processingStages, [output]);
    assert.deepEqual(
      request.logs.map(({ stage, status }) => ({ stage, status })),
      names.map((stage) => ({ stage, status: 'OK' })),
    );
    assert.deepEqual(newerFieldsOf(request), expectedFields(request));
  }
});

/** As `up` of the later version does: a worker alone leaves the schema as it is. */
async function migrateBy(command: string, url: string, data: string): Promise<void> {
  await mkdir(data);
  const urls = ['broker', 'coordination', 'database', 'blobs'].flatMap((name) => ['--set', `${name}=${url}`]);
  await promisify(execFile)(command, ['--data', data, ...urls, 'stage', 'ls']);
}

async function startThisVersion(t: TestContext, url: string, data: string): Promise<Engine> {
  const settings = settingsSchema.parse({
    broker: url,
    coordination: url,
    database: url,
    blobs: url,
    data,
    http: { port: 0 },
    worker: { count: 0 },
    log: { level: 'error' },
  });
  const { engine, close } = await startSystem(settings, { purpose: 'test' });
  t.after(close);
  for (const name of names) {
    const dummy = { processor: 'dummy', config: 'TIME_SCALE = 0', mode: 'shared' } as const;
    await engine.stages.create({ ...dummy, name }, 'test');
  }
  return engine;
}

/** Sends requests and waits for all of them. */
async function passThrough(engine: Engine, count: number): Promise<Request[]> {
  const stages = [...names, output];
  const files = [{ name: 'page', content: Buffer.alloc(100_000, 'x') }];
  const sent = new Set<string>();
  for (let index = 0; index < count; index++)
    sent.add((await submitRequest(engine, { stages, files, owner: 'local', role: 'admin' })).uuid);
  const found = new Map<string, Request>();
  const consumer = await engine.broker.consume(output, { concurrency: 10 }, async (delivery) => {
    const request = decodeRequest(delivery.body);
    found.set(request.uuid, request);
    await delivery.ack();
  });
  await eventually('all came out', () => [...sent].every((uuid) => found.has(uuid)), waitMs);
  await consumer.close();
  return [...found.values()];
}

/** Whatever the later version has touched bears its fields to the end. */
function expectedFields({ logs }: Request): Record<string, string> {
  const its = logs.filter(({ hostId }) => hostId === 'later');
  if (its.length === 0) return {};
  return {
    request: 'later request',
    'file page': 'later file',
    ...Object.fromEntries(its.map(({ stage }) => [`log of ${stage} by later`, 'later log'])),
  };
}
