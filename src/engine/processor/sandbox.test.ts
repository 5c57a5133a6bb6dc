import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { openDirectoryBlobs } from '../blobs/directory.ts';
import { newFile, type ResultFile } from '../request/request.ts';
import { stageDefinition } from '../stage/stage.ts';
import { isLiving } from '../testing/child-processes.ts';
import { startProgram } from '../testing/child-program.ts';
import { eventually } from '../testing/eventually.ts';
import { withoutBubblewrap } from '../testing/narrow-machines.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { systemClock } from '../time/clock.ts';
import { createIsolatedRunner } from './isolated-runner.ts';
import { ProcessFolders } from './process-folders.ts';
import { ProcessSource } from './process-source.ts';
import { findSandbox, sandboxPlan } from './sandbox.ts';
import { WorkerProcesses } from './worker-processes.ts';

const spy = new URL('../testing/spying-processor.ts', import.meta.url);
const misbehaving = new URL('../testing/misbehaving-processor.ts', import.meta.url);

async function setUp(t: TestContext, parts: { module: URL; config: string; network?: boolean }) {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const cacheDirectory = join(data, 'cache');
  await mkdir(cacheDirectory, { recursive: true });
  for (const name of ['pismak.db', 'holder.json']) await writeFile(join(data, name), 'secret');
  const configurationFile = join(directory, 'pismak.toml');
  await writeFile(configurationFile, 'database = "postgres://user:password@db"');
  const blobsUrl = `directory:${join(data, 'blobs')}`;
  const blobs = await openDirectoryBlobs(join(data, 'blobs'));
  const plan = sandboxPlan({ data, blobsUrl, cacheDirectory, configurationFile, modules: [parts.module] });
  const sandbox = await findSandbox(plan);
  assert.ok('prefix' in sandbox, JSON.stringify(sandbox));
  const source = new ProcessSource({ clock: systemClock, inputs: join(cacheDirectory, 'inputs') });
  source.confine(sandbox);
  const processes = new WorkerProcesses({ source, clock: systemClock, keepLoaded: 4, idleMs: 10_000 });
  t.after(() => Promise.all([processes.close(), source.close()]));
  const other = join(directory, 'other');
  await writeFile(other, 'of another program');
  const config = parts.config
    .replaceAll('DATA', data)
    .replaceAll('TOML', configurationFile)
    .replaceAll('OTHER', other);
  const stage = {
    ...stageDefinition.parse({ name: 's', processor: 'p', config, memoryMb: 300 }),
    version: 1,
  };
  const code = { stage, module: parts.module.href, blobs, cache: cacheDirectory };
  const runner = createIsolatedRunner(
    { ...code, ...(parts.network !== undefined && { network: parts.network }) },
    processes,
  );
  const signal = new AbortController().signal;
  return { data, run: (files: ResultFile[] = []) => runner.run({ uuid: 'u', attempt: 1, files, signal }) };
}

async function seesNothing(t: TestContext): Promise<void> {
  const config = [
    'list DATA',
    'read DATA/pismak.db',
    'read DATA/holder.json',
    'read TOML',
    'write /etc/spy',
    'write DATA/pismak.db',
    'processes',
    `read /proc/${process.pid}/environ`,
    'read OTHER',
    'list /run',
    'priority',
  ].join('\n');
  const { data, run } = await setUp(t, { module: spy, config, network: false });
  const result = await run();
  assert.ok(result.ok);
  const seen = JSON.parse(Buffer.from(result.files[0]?.content ?? '').toString());
  const [listed, database, holder, settings, outside, , count, environment, other, services, priority] =
    Object.values(seen);
  assert.deepEqual(listed, ['cache']);
  assert.deepEqual(
    [database, holder, outside, environment, other, services],
    ['ENOENT', 'ENOENT', 'EROFS', 'ENOENT', 'ENOENT', 'ENOENT'],
  );
  assert.ok(settings === '' || settings === 'EACCES');
  assert.ok(Number(count) <= 3);
  assert.equal(priority, 10, 'calls and queues come first');
  assert.deepEqual((await readdir(data)).sort(), ['blobs', 'cache', 'holder.json', 'pismak.db']);
}

test(
  'a processor sees no database, key, log, settings, process or file of others, and writes nowhere else',
  seesNothing,
);

test('without bubblewrap it sees no more', async (t) => {
  const path = process.env.PATH;
  t.after(() => {
    process.env.PATH = path;
  });
  const [, setting = ''] = await withoutBubblewrap(t);
  process.env.PATH = setting.replace('PATH=', '');
  await seesNothing(t);
});

test('blobs and backups outside the data directory are hidden too', async (t) => {
  const [directory, outside] = [await temporaryDirectory(t), await mkdtemp('/var/tmp/pismak-outside-')];
  t.after(() => rm(outside, { recursive: true, force: true }));
  const [blobs, backups] = [join(outside, 'blobs'), join(outside, 'backups')];
  for (const folder of [blobs, backups]) {
    await mkdir(folder);
    await writeFile(join(folder, 'letter'), 'of somebody else');
  }
  const cacheDirectory = join(directory, 'cache');
  const plan = sandboxPlan({
    data: directory,
    blobsUrl: `directory:${blobs}`,
    backups,
    cacheDirectory,
    modules: [],
  });
  const sandbox = await findSandbox(plan);
  assert.ok('prefix' in sandbox, JSON.stringify(sandbox));
  const folders = new ProcessFolders(join(cacheDirectory, 'inputs'), systemClock);
  t.after(() => folders.remove());
  const { own, inputs } = folders;
  const [program = '', ...parameters] = sandbox.prefix({ network: false, directory: own, inputs });
  const { stdout } = await promisify(execFile)(program, [...parameters, 'find', outside]);
  assert.deepEqual(stdout.trim().split('\n').sort(), [outside, backups, blobs]);
});

test('a processor reaches the network only if it needs it', async (t) => {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const config = `connect ${(server.address() as AddressInfo).port}`;
  for (const [network, expected] of [
    [false, /ECONNREFUSED|ENETUNREACH/],
    [true, /connected/],
  ] as const) {
    const { run } = await setUp(t, { module: spy, config, network });
    const result = await run();
    assert.ok(result.ok);
    assert.match(Buffer.from(result.files[0]?.content ?? '').toString(), expected);
  }
});

test('crashes and memory limits are told as without a sandbox, and no work directory stays', async (t) => {
  const { run } = await setUp(t, { module: misbehaving, config: '' });
  const works = async () =>
    (await readdir(tmpdir())).filter(
      (name) => name.startsWith('pismak-work-') && name.includes(`-${process.pid}-`),
    );
  for (const [order, expected] of [
    ['crash', /SIGSEGV/],
    ['exhaust memory', /its limit is 300 MB/],
    ['exit', /exit code 0/],
  ] as const) {
    const result = await run([newFile('order', Buffer.from(order))]);
    assert.ok(!result.ok);
    assert.match(result.reason, expected);
  }
  await eventually('all work directories are removed', async () => (await works()).length === 0);
});

test('a process in a sandbox ends with its parent', async (t) => {
  const program = startProgram(t, 'sandboxed-host', [await temporaryDirectory(t)]);
  const pid = Number(await program.line());
  assert.ok(isLiving(pid));
  await program.kill();
  await eventually('it ends', () => !isLiving(pid));
});
