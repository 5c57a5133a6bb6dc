import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { inspect, promisify } from 'node:util';
import { openDirectoryBlobs } from '../../engine/blobs/directory.ts';
import { createIsolatedRunner } from '../../engine/processor/isolated-runner.ts';
import { ProcessSource } from '../../engine/processor/process-source.ts';
import { WorkerProcesses } from '../../engine/processor/worker-processes.ts';
import { newFile } from '../../engine/request/request.ts';
import { stageDefinition } from '../../engine/stage/stage.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { makeSample } from '../testing/samples/make-sample.ts';

const config = 'ENGINE = tesseract\nLANGUAGE = chronicle\nCAREFUL = no';

/** Reads a page in a process of its own, as a worker does. */
async function readPage(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const source = new ProcessSource({ clock: systemClock, inputs: join(directory, 'inputs') });
  const processes = new WorkerProcesses({ source, clock: systemClock, keepLoaded: 1, idleMs: 10_000 });
  t.after(() => Promise.all([processes.close(), source.close()]));
  const stage = stageDefinition.parse({ name: 'r', processor: 'recognise', config, memoryMb: 2048 });
  const runner = createIsolatedRunner(
    {
      stage: { ...stage, version: 1 },
      module: new URL('./recognise.ts', import.meta.url).href,
      blobs: await openDirectoryBlobs(join(directory, 'blobs')),
      cache: join(directory, 'cache'),
    },
    processes,
  );
  const { image } = await makeSample('clean', 1, { dpi: 150, share: 0.1 });
  const files = [newFile('source', image)];
  return runner.run({ uuid: 'u', attempt: 1, files, signal: new AbortController().signal });
}

test('processors look for the models of Tesseract where TESSDATA_PREFIX says', async (t) => {
  const models = join(await temporaryDirectory(t), 'models');
  await mkdir(models);
  const before = process.env.TESSDATA_PREFIX;
  t.after(() => {
    if (before === undefined) delete process.env.TESSDATA_PREFIX;
    else process.env.TESSDATA_PREFIX = before;
  });
  const { stdout } = await promisify(execFile)('tesseract', ['--list-langs']);
  const usual = /"(.*)"/.exec(stdout)?.[1] ?? '';
  process.env.TESSDATA_PREFIX = models;
  const refused = await readPage(t).catch((error: Error) => ({ ok: false, reason: error.message }));
  assert.match(inspect(refused), /TESSDATA_PREFIX is .*models, but processors find no models there/);
  await copyFile(join(usual, 'ces.traineddata'), join(models, 'chronicle.traineddata'));
  const read = await readPage(t);
  assert.ok(read.ok, inspect(read));
});
