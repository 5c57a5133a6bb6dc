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
import { writeZip } from '../../formats/zip/write-zip.ts';
import { files } from '../page/files.ts';
import { splitFiles, splitPages } from './pages.ts';
import { writeTiffPages } from './testing/hostile-images.ts';
import { makePdf } from './testing/make-pdf.ts';

/** Each takes the same memory however many pages the source has. */
const sources: Record<string, (count: number) => AsyncIterable<Uint8Array>> = {
  ZIP: (count) => writeZip(makeScans(count), new Date(0)),
  PDF: async function* (count) {
    const pages = await Array.fromAsync({ length: count }, async (_, number) => {
      const jpeg = { bytes: await scan(number), width: 60, height: 80 };
      return { width: 60, height: 80, jpeg };
    });
    yield makePdf(pages);
  },
  TIFF: async function* (count) {
    // A megabyte of noise each: it can't be packed, so the file is as long as its pages together.
    const noise = randomBytes(1024 * 1024);
    yield writeTiffPages(
      Array.from({ length: count }, () => noise),
      1024,
    );
  },
};
const fewPages = 20;
const manyPages = Number(process.env.MANY_PAGES ?? 120);

for (const [kind, make] of Object.entries(sources)) {
  test(`splitting a ${kind} of many scans takes hardly more memory than splitting a small one`, async (t) => {
    const directory = await temporaryDirectory(t);
    const blobs = await openDirectoryBlobs(`${directory}/blobs`);
    const clock = systemClock;
    const source = new ProcessSource({ clock, inputs: `${directory}/inputs` });
    const processes = new WorkerProcesses({ source, clock, keepLoaded: 1, idleMs: 300_000 });
    t.after(() => processes.close());
    const code = {
      stage: {
        ...stageDefinition.parse({ name: 'split', processor: 'split', timeoutMs: 300_000 }),
        version: 1,
      },
      module: new URL('./testing/weighed-split.ts', import.meta.url).href,
      blobs,
      cache: `${directory}/cache`,
    };
    const runner = createIsolatedRunner(code, processes);
    const splitSource = async (scans: number) => {
      const { hash, size } = await blobs.put(make(scans));
      const source = { ...newFile(files.source, Buffer.alloc(0)), blob: hash, size: BigInt(size) };
      const { signal } = new AbortController();
      const result = await runner.run({ uuid: 'u', attempt: 1, files: [source], signal });
      assert.ok(result.ok, result.log);
      const [, peak = '', pid = ''] = /peak (\d+) MB of process (\d+)/.exec(result.log) ?? [];
      return { peak: Number(peak), pid, files: result.files };
    };
    const few = await splitSource(fewPages);
    const many = await splitSource(manyPages);
    assert.equal(many.pid, few.pid, 'the same process, so its base memory cancels out');
    const figures = `${few.peak} MB for ${fewPages} scans of 1 MB, ${many.peak} MB for ${manyPages}`;
    assert.ok(many.peak - few.peak < 90, figures);
    t.diagnostic(figures);

    const list = await contentOf(blobs, many.files, splitFiles.list);
    const { pages } = splitPages.parse(JSON.parse(list.toString()));
    assert.equal(pages.length, manyPages);
    if (kind === 'TIFF') return;
    const last = await contentOf(blobs, many.files, splitFiles.image(manyPages));
    assert.equal(last.readUInt32BE(last.length - 6), manyPages - 1, 'each page has its own scan');
  });
}

async function contentOf(blobs: Blobs, all: readonly ResultFile[], name: string): Promise<Buffer> {
  const file = all.find((one) => one.name === name);
  assert.ok(file, name);
  return Buffer.from(file.blob === '' ? file.content : await readBlob(blobs, file.blob));
}

async function* makeScans(count: number) {
  for (let number = 0; number < count; number++) {
    const content = (async function* () {
      yield await scan(number);
    })();
    yield { name: `${number}.jpg`, content };
  }
}

const picture = await sharp({ create: { width: 60, height: 80, channels: 3, background: '#fff' } })
  .toColourspace('b-w')
  .jpeg()
  .toBuffer();
const weight = randomBytes(1024 * 1024);

/** A small image, padded with a megabyte of incompressible bytes, with its number before the end marker. */
async function scan(number: number): Promise<Buffer> {
  const end = Buffer.from([0, 0, 0, 0, 0xff, 0xd9]);
  end.writeUInt32BE(number);
  return Buffer.concat([picture, weight, end]);
}
