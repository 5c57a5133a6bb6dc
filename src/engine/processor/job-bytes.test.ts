import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { type Blobs, readBlob } from '../blobs/blobs.ts';
import { openDirectoryBlobs } from '../blobs/directory.ts';
import { openPostgresBlobs } from '../blobs/postgres.ts';
import { newFile, type ResultFile } from '../request/request.ts';
import { asReference } from '../request/result-files.ts';
import { stageDefinition } from '../stage/stage.ts';
import { startProgram } from '../testing/child-program.ts';
import type { HostileOrder } from '../testing/hostile-processor.ts';
import { withoutBubblewrap } from '../testing/narrow-machines.ts';
import { startPostgres } from '../testing/servers/postgres.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { systemClock } from '../time/clock.ts';
import { createIsolatedRunner } from './isolated-runner.ts';
import { ProcessSource } from './process-source.ts';
import { findSandbox, sandboxPlan } from './sandbox.ts';
import { WorkerProcesses } from './worker-processes.ts';

const megabyte = 1024 * 1024;
const module = (name: string) => new URL(`../testing/${name}-processor.ts`, import.meta.url);
const server = await startPostgres();
after(() => server.close());

type Confined = 'sandbox' | 'no sandbox';

/** A stage with blobs, one of which belongs to somebody else. */
async function setUp(
  t: TestContext,
  parts: { processor: string; confined?: Confined; blobs?: Blobs; stageFile?: Buffer },
) {
  const directory = await temporaryDirectory(t);
  const [data, cache] = [join(directory, 'data'), join(directory, 'data', 'cache')];
  const blobs = parts.blobs ?? (await openDirectoryBlobs(join(data, 'blobs')));
  const source = new ProcessSource({ clock: systemClock, inputs: join(cache, 'inputs') });
  if (parts.confined !== 'no sandbox') {
    const plan = { data, blobsUrl: `directory:${data}/blobs`, cacheDirectory: cache };
    const sandbox = await findSandbox(sandboxPlan({ ...plan, modules: [module(parts.processor)] }));
    assert.ok('prefix' in sandbox, JSON.stringify(sandbox));
    source.confine(sandbox);
  }
  const processes = new WorkerProcesses({ source, clock: systemClock, keepLoaded: 4, idleMs: 60_000 });
  t.after(() => Promise.all([processes.close(), source.close()]));
  const files = parts.stageFile ? [{ name: 'model', ...(await blobs.put(parts.stageFile)) }] : [];
  const definition = stageDefinition.parse({ name: 's', processor: 'p', files, memoryMb: 500 });
  const code = { stage: { ...definition, version: 1 }, module: module(parts.processor).href, blobs, cache };
  const runner = createIsolatedRunner(
    { ...code, network: false, largestFileBytes: 20 * megabyte },
    processes,
  );
  const run = (given: ResultFile[]) =>
    runner.run({ uuid: 'u', attempt: 1, files: given, signal: new AbortController().signal });
  return {
    directory,
    cache,
    blobs,
    processes,
    run,
    obey: (order: HostileOrder, more: ResultFile[] = []) =>
      run([newFile('order', Buffer.from(JSON.stringify(order))), ...more]),
    hash: (await blobs.put(Buffer.from('a letter of somebody else'))).hash,
  };
}

const ofMine = async () =>
  (await readdir(tmpdir())).filter(
    (name) => name.startsWith('pismak-work-') && name.includes(`-${process.pid}-`),
  );

function contentOf(files: readonly ResultFile[], name: string): string {
  return Buffer.from(files.find((file) => file.name === name)?.content ?? []).toString();
}

test('a hostile processor gets no bytes of others, neither by their hash nor by their path', async (t) => {
  const { obey, hash, directory, blobs, cache } = await setUp(t, { processor: 'hostile' });
  const path = join(directory, 'data', 'blobs', hash.slice(0, 2), hash);
  assert.ok(existsSync(path));
  const inputs = join(cache, 'inputs');
  const looked = await obey({ spy: [`read ${path}`, `list ${join(directory, 'data', 'blobs')}`] });
  assert.ok(looked.ok, looked.log);
  assert.deepEqual(Object.values(JSON.parse(contentOf(looked.files, 'seen.json'))), ['ENOENT', 'ENOENT']);
  const beside = await obey({ spy: [`list ${inputs}`] });
  assert.ok(beside.ok, beside.log);
  // Those of its own process only.
  assert.equal(JSON.parse(contentOf(beside.files, 'seen.json'))[`list ${inputs}`].length, 1);
  const stage = { name: 's', version: 1 };
  for (const message of [
    { type: 'fetch', id: 1_000_000, job: 'JOB', hash },
    { type: 'fetch', id: 1_000_000, job: 'JOB', hash: `../../../blobs/${hash.slice(0, 2)}/${hash}` },
    { type: 'fetch-stage-file', id: 1_000_000, stage, hash, isDamaged: false },
    { type: 'done', files: [{ name: 'mine now', blob: { hash, size: 25 } }], rssBytes: 1 },
  ]) {
    const result = await obey({ send: [message] });
    assert.ok(!result.ok && result.permanent, JSON.stringify(result));
    assert.match(result.reason, /was ended: it (asked for|returned) the blob/);
  }
  assert.equal(Buffer.from(await readBlob(blobs, hash)).toString(), 'a letter of somebody else');
});

test('the output of a hostile processor is a plain file of the permitted size, or the job fails for good', async (t) => {
  const { obey, blobs } = await setUp(t, { processor: 'hostile' });
  const before = await Array.fromAsync(blobs.list());
  for (const [leave, reason] of [
    ['link', /its output is a link/],
    ['pipe', /its output is not a plain file/],
    ['folder', /its output is not a plain file/],
    ['nothing', /its output is missing/],
    ['sparse', /its output has 1099511627776 bytes; the limit is 20971520/],
  ] as const) {
    const result = await obey({ leave });
    assert.ok(!result.ok && result.permanent, leave);
    assert.match(result.reason, reason);
  }
  assert.deepEqual(await Array.fromAsync(blobs.list()), before);
});

for (const way of ['with bubblewrap', 'without it']) {
  test(`a hostile processor can't change a blob through the file that it was given, ${way}`, async (t) => {
    if (way === 'without it') {
      const path = process.env.PATH;
      t.after(() => {
        process.env.PATH = path;
      });
      const [, setting = ''] = await withoutBubblewrap(t);
      process.env.PATH = setting.replace('PATH=', '');
    }
    const { obey, blobs } = await setUp(t, { processor: 'hostile' });
    const content = randomBytes(3 * megabyte);
    const reference = await blobs.put(content);
    const page = asReference(newFile('page', Buffer.alloc(0)), reference);
    const result = await obey({ tamper: reference.hash }, [page]);
    assert.ok(result.ok, result.log);
    const { link, replace, ...rest } = JSON.parse(contentOf(result.files, 'seen.json'));
    assert.deepEqual(rest, { write: 'EROFS', chmod: 'EROFS', remove: 'EROFS' });
    // From one mount to another.
    assert.deepEqual([link, replace], ['EXDEV', 'EXDEV']);
    assert.deepEqual(Buffer.from(await readBlob(blobs, reference.hash)), content);
  });
}

test('nonsense from a processor ends its process, and nothing else', async (t) => {
  const { obey } = await setUp(t, { processor: 'hostile' });
  for (const message of [null, { type: 'log', line: 7 }, { type: 'done', files: [null], rssBytes: 1 }]) {
    const result = await obey({ send: [message] });
    assert.ok(!result.ok);
    assert.match(result.reason, /said what nobody understands/);
  }
});

for (const [where, open] of [
  ['in a directory', async () => undefined],
  ['on PostgreSQL', async () => openPostgresBlobs({ url: await server.createDatabase() })],
] as const) {
  for (const confined of ['sandbox', 'no sandbox'] as const) {
    test(`large files go in and out: blobs ${where}, ${confined}`, async (t) => {
      const given = await open();
      if (given) t.after(() => given.close());
      const stageFile = randomBytes(2 * megabyte);
      const found = await setUp(t, {
        processor: 'copying',
        confined,
        stageFile,
        ...(given && { blobs: given }),
      });
      const { blobs, run, cache, processes } = found;
      const content = randomBytes(7 * megabyte);
      const page = asReference(newFile('page', Buffer.alloc(0)), await blobs.put(content));
      const mine = await ofMine();
      for (const _ of [1, 2]) {
        const result = await run([page]);
        assert.ok(result.ok, result.log);
        const byName = new Map(result.files.map((file) => [file.name, file]));
        assert.deepEqual(byName.get('page'), page);
        for (const name of ['read', 'saved'])
          assert.deepEqual(Buffer.from(await readBlob(blobs, byName.get(name)?.blob ?? '')), content, name);
        assert.equal(contentOf(result.files, 'model'), createHash('sha256').update(stageFile).digest('hex'));
        assert.match(result.log, /the second time: true/);
      }
      const inputs = await readdir(join(cache, 'inputs'), { recursive: true });
      assert.ok(!inputs.some((name) => name.includes(page.blob)), 'the bytes of a job end with it');
      await processes.close();
      assert.deepEqual(await ofMine(), mine);
      assert.deepEqual(await readdir(join(cache, 'inputs')), []);
    });
  }
}

test('a damaged copy of a file of the stage is replaced', async (t) => {
  const stageFile = randomBytes(2 * megabyte);
  const { run, cache, blobs } = await setUp(t, { processor: 'copying', stageFile });
  const content = await blobs.put(randomBytes(megabyte));
  const page = asReference(newFile('page', Buffer.alloc(0)), content);
  const hash = createHash('sha256').update(stageFile).digest('hex');
  await mkdir(cache, { recursive: true });
  await writeFile(join(cache, hash), Buffer.alloc(stageFile.length));
  const result = await run([page]);
  assert.ok(result.ok, result.log);
  assert.equal(contentOf(result.files, 'model'), hash);
  assert.deepEqual(await readFile(join(cache, hash)), stageFile);
});

test('a killed process leaves nothing behind, and what a killed worker leaves is swept when the next one starts', async (t) => {
  const { run, cache, blobs } = await setUp(t, { processor: 'copying' });
  const page = asReference(newFile('page', Buffer.alloc(0)), await blobs.put(randomBytes(megabyte)));
  const mine = await ofMine();
  const result = await run([page, newFile('die', Buffer.from('now'))]);
  assert.ok(!result.ok);
  assert.match(result.reason, /SIGKILL/);
  assert.deepEqual(await readdir(join(cache, 'inputs')), []);
  assert.deepEqual(await ofMine(), mine);

  const directory = await temporaryDirectory(t);
  const inputs = join(directory, 'data', 'cache', 'inputs');
  const program = startProgram(t, 'sandboxed-host', [directory]);
  await program.line();
  await program.kill();
  assert.equal((await readdir(inputs)).length, 1);
  await new ProcessSource({ clock: systemClock, inputs }).sweep();
  assert.deepEqual(await readdir(inputs), []);
});
