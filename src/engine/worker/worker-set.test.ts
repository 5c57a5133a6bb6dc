import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { decodeRequest, newRequest, toMessage } from '../request/request.ts';
import { settingsSchema } from '../settings/settings.ts';
import { childProcesses } from '../testing/child-processes.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { listWorkers } from './worker-record.ts';
import { createWorkerSet } from './worker-set.ts';

/** Three workers of one Pismak process, whose idle processes end at once; `write` writes the code of processor `own`. */
async function opened(t: TestContext) {
  const embedded = await openEmbedded(t);
  const { directory, broker, coordination, processors } = embedded;
  const module = join(directory, 'own.mjs');
  const write = (code: string) => writeFile(module, code);
  await write('export default async () => async () => {};');
  processors.register({ name: 'own', summary: 'for tests', module: pathToFileURL(module) });
  await broker.declare('out');
  const settings = settingsSchema.parse({ worker: { heartbeatMs: 100, idleProcessMs: 0 } });
  const places = { blobsUrl: `directory:${directory}/blobs`, cacheDirectory: join(directory, 'cache') };
  const workers = createWorkerSet({ ...embedded, ...places, settings });
  t.after(() => workers.close());
  for (let count = 0; count < 3; count++) await workers.start();
  const submit = (uuid: string, stage: string) =>
    broker.publish(stage, toMessage(newRequest({ uuid, stages: [stage, 'out'], files: [], startedAt: 1 })));
  const result = (uuid: string) =>
    eventually(`${uuid} is done`, async () => {
      const found = await broker.peek('out', { limit: 1000 });
      return found.map(({ body }) => decodeRequest(body)).find((request) => request.uuid === uuid);
    });
  /** Why workers can't serve the stage; empty when they all can. */
  const unable = async (stage: string) =>
    (await listWorkers(coordination)).map(({ presence }) => presence?.unable[stage]).filter(Boolean);
  return { ...embedded, workers, write, submit, result, unable };
}

test('workers with nothing to do keep one spare process for all of them, and serve what comes', async (t) => {
  const { stages, submit, result } = await opened(t);
  for (const mode of ['shared', 'exclusive'] as const)
    for (let number = 0; number < 3; number++)
      await stages.create({ name: `${mode}${number}`, processor: 'own', mode }, 'test');
  const onlySpare = (what: string) =>
    eventually(what, () => childProcesses().length === 1 && childProcesses()[0]);
  await onlySpare('the stages are checked');
  await submit('first', 'shared1');
  assert.equal((await result('first')).logs[0]?.status, 'OK');
  await onlySpare('the idle process is gone');
  await submit('second', 'shared1');
  assert.equal((await result('second')).logs[0]?.status, 'OK');
});

test('a shared stage that cannot be loaded is reported though there is no message for it', async (t) => {
  const { stages, write, unable } = await opened(t);
  await write('throw new Error("a slip of the pen");');
  await stages.create({ name: 'slip', processor: 'own', mode: 'shared' }, 'test');
  const reasons = await eventually('all report it', async () => {
    const found = await unable('slip');
    return found.length === 3 && found;
  });
  assert.match(reasons[0] ?? '', /a slip of the pen/);
});

test('a stage that cannot be loaded any more is reported, costs its request no attempt, and is served when mended', async (t) => {
  const { broker, stages, write, submit, result, unable } = await opened(t);
  await stages.create({ name: 'edited', processor: 'own', mode: 'shared' }, 'test');
  await submit('before', 'edited');
  await result('before');
  await write('throw new Error("a slip of the pen");');
  await eventually('its process is gone', () => childProcesses().length <= 1);
  await submit('meanwhile', 'edited');
  await eventually('all report it', async () => (await unable('edited')).length === 3);
  await eventually('it waits', async () => (await broker.status('edited')).ready.normal === 1);
  await write('export default async () => async () => {};');
  await stages.change('edited', { config: 'mended' }, 'test');
  const { logs } = await result('meanwhile');
  assert.deepEqual([logs[0]?.status, logs[0]?.attempt], ['OK', 1]);
  await eventually('nothing is reported any more', async () => (await unable('edited')).length === 0);
});

test('workers that are stopped do not wait for a stage that is just being loaded', async (t) => {
  const { stages, write, workers } = await opened(t);
  // Its name is all that can be seen of it: its files are its own.
  await write(
    `process.title = 'loading'; export default () => new Promise(() => setInterval(() => {}, 1000));`,
  );
  await stages.create({ name: 'endless', processor: 'own', mode: 'shared' }, 'test');
  await eventually('it is being loaded', () => isDescendant('loading'));
  const closed = workers.close().then(() => true);
  await eventually('they have stopped', () => Promise.race([closed, false]));
});

function isDescendant(name: string, parent?: number): boolean {
  return childProcesses(parent).some((pid) => nameOf(pid) === name || isDescendant(name, pid));
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    // It has just ended.
    return '';
  }
}
