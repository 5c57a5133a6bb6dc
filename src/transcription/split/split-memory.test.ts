import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import sharp from 'sharp';
import { type Blobs, readBlob } from '../../engine/blobs/blobs.ts';
import { openDirectoryBlobs } from '../../engine/blobs/directory.ts';
import { createIsolatedRunner } from '../../engine/processor/isolated-runner.ts';
import { ProcessSource } from '../../engine/processor/process-source.ts';
import { WorkerProcesses } from '../../engine/processor/worker-processes.ts';
import { newFile, type ResultFile } from '../../engine/request/request.ts';
import { stageDefinition } from '../../engine/stage/stage.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { files } from '../files.ts';
import { writeZip } from '../formats/zip.ts';
import { splitFiles, splitPages } from './pages.ts';

test('splitting a ZIP of many scans takes hardly more memory than splitting a small one', async (t) => {
  const directory = await temporaryDirectory(t);
  const blobs = await openDirectoryBlobs(`${directory}/blobs`);
  const clock = systemClock;
  const source = new ProcessSource({ clock });
  const processes = new WorkerProcesses({ source, clock, keepLoaded: 1, idleMs: 300_000 });
  t.after(() => processes.close());
  const code = {
    stage: {
      ...stageDefinition.parse({ name: 'split', processor: 'split', timeoutMs: 300_000 }),
      version: 1,
    },
    module: new URL('./testing/weighed-split.ts', import.meta.url).href,
    blobs: `directory:${directory}/blobs`,
    cache: `${directory}/cache`,
  };
  const runner = createIsolatedRunner(code, processes);
  const splitZip = async (scans: number) => {
    const { hash, size } = await blobs.put(writeZip(makeScans(scans), new Date(0)));
    const source = { ...newFile(files.source, Buffer.alloc(0)), blob: hash, size: BigInt(size) };
    const { signal } = new AbortController();
    const result = await runner.run({ uuid: 'u', attempt: 1, files: [source], signal });
    assert.ok(result.ok, result.log);
    const [, peak = '', pid = ''] = /peak (\d+) MB of process (\d+)/.exec(result.log) ?? [];
    return { peak: Number(peak), pid, files: result.files };
  };
  const few = await splitZip(20);
  const many = await splitZip(120);
  assert.equal(many.pid, few.pid, 'the same process, so its base memory cancels out');
  assert.ok(many.peak - few.peak < 100, `${few.peak} MB for 20 scans of 1 MB, ${many.peak} MB for 120`);

  const list = await contentOf(blobs, many.files, splitFiles.list);
  const { pages } = splitPages.parse(JSON.parse(list.toString()));
  assert.equal(pages.length, 120);
  const last = await contentOf(blobs, many.files, splitFiles.image(120));
  assert.equal(last.readUInt32BE(last.length - 6), 119, 'each page has its own scan');
});

async function contentOf(blobs: Blobs, all: readonly ResultFile[], name: string): Promise<Buffer> {
  const file = all.find((one) => one.name === name);
  assert.ok(file, name);
  return Buffer.from(file.blob === '' ? file.content : await readBlob(blobs, file.blob));
}

/** Small images, each padded with a megabyte of incompressible bytes, with its number before the end marker. */
async function* makeScans(count: number) {
  const picture = await sharp({ create: { width: 60, height: 80, channels: 3, background: '#fff' } })
    .jpeg()
    .toBuffer();
  const weight = randomBytes(1024 * 1024);
  for (let number = 0; number < count; number++) {
    const end = Buffer.from([0, 0, 0, 0, 0xff, 0xd9]);
    end.writeUInt32BE(number);
    const content = (async function* () {
      yield Buffer.concat([picture, weight, end]);
    })();
    yield { name: `${number}.jpg`, content };
  }
}
