import assert from 'node:assert/strict';
import { mkdir, open, utimes, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openSqliteDatabase } from '../../engine/database/sqlite.ts';
import { workerRow } from '../../engine/operation/operations/worker-rows.ts';
import { settingsSchema } from '../../engine/settings/settings.ts';
import { startProgram } from '../../engine/testing/child-program.ts';
import { inContainer } from '../../engine/testing/narrow-machines.ts';
import { sharedPostgres } from '../../engine/testing/servers/shared.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { workerPresence } from '../../engine/worker/worker-record.ts';
import { runCommand } from '../testing/run-command.ts';
import { sampleOf } from '../testing/sample-of.ts';
import { checkData } from './check-data.ts';
import { checkNode, checkPackages } from './check-installation.ts';
import { checkExposure, checkProcess } from './check-process.ts';
import { checkSandbox } from './check-sandbox.ts';
import { checkServers } from './check-servers.ts';
import { describeWorkers } from './check-workers.ts';
import type { Finding } from './finding.ts';

async function dataDirectory(context: TestContext) {
  const data = join(await temporaryDirectory(context), 'data');
  await mkdir(data, { mode: 0o700 });
  return { data, settings: settingsSchema.parse({ data }) };
}

async function states(settings: Parameters<typeof checkData>[0]): Promise<Record<string, string>> {
  const findings = await checkData(settings, systemClock, false);
  return Object.fromEntries(findings.map(({ check, state }) => [check, state]));
}

test('an old Node and packages that differ from the lock file are found', async (context) => {
  assert.equal(checkNode('24.1.0').state, 'ok');
  assert.equal(checkNode('20.20.2').state, 'FAIL');
  assert.equal((await checkPackages()).state, 'ok');
  const directory = await temporaryDirectory(context);
  assert.equal((await checkPackages(directory)).state, 'warn');
  const lock = (version: string) => JSON.stringify({ packages: { '': {}, 'node_modules/a': { version } } });
  await writeFile(join(directory, 'package-lock.json'), lock('2.0.0'));
  assert.match((await checkPackages(directory)).found, /no packages are installed/);
  await mkdir(join(directory, 'node_modules'));
  await writeFile(join(directory, 'node_modules', '.package-lock.json'), lock('1.0.0'));
  assert.match((await checkPackages(directory)).found, /a 1\.0\.0 \(2\.0\.0 wanted\)/);
});

test('an installed package, which has no lock file, is compared with the dependencies that it names', async (context) => {
  const modules = join(await temporaryDirectory(context), 'node_modules');
  const install = async (name: string, manifest: object) => {
    await mkdir(join(modules, name), { recursive: true });
    await writeFile(join(modules, name, 'package.json'), JSON.stringify(manifest));
  };
  await install('pismak', { dependencies: { a: '1.0.0', '@b/c': '2.0.0' } });
  await install('a', { version: '1.0.0' });
  assert.match((await checkPackages(join(modules, 'pismak'))).found, /^@b\/c missing \(2\.0\.0 wanted\)$/);
  await install('@b/c', { version: '2.0.0' });
  assert.equal((await checkPackages(join(modules, 'pismak'))).state, 'ok');
});

test('a sound data directory passes; one open to others, from the future or damaged does not', async (context) => {
  const { data, settings } = await dataDirectory(context);
  const file = join(data, 'pismak.db');
  const database = await openSqliteDatabase({ file });
  await database.query.schema.createTable('t').addColumn('x', 'text').execute();
  await database.close();
  const sound = { 'data directory': 'ok', disk: 'ok', clock: 'ok', 'integrity of queues.db': 'ok' };
  const expected = { ...sound, 'integrity of pismak.db': 'ok' };
  assert.deepEqual(await states({ ...settings, alerts: { ...settings.alerts, diskFreeMb: 0 } }), expected);
  await utimes(file, new Date(), new Date(Date.now() + 86_400_000));
  assert.equal((await states(settings)).clock, 'warn');
  const pages = await open(file, 'r+');
  await pages.write(Buffer.alloc(4096, 0xff), 0, 4096, 4096);
  await pages.close();
  assert.equal((await states(settings))['integrity of pismak.db'], 'FAIL');
  assert.equal(
    (await states({ ...settings, alerts: { ...settings.alerts, diskFreeMb: 1e12 } })).disk,
    'warn',
  );
});

test('a port that is taken is found', async (context) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  context.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const [, taken] = await checkProcess(settingsSchema.parse({ http: { port } }), undefined);
  assert.equal(taken?.state, 'FAIL');
  const [, free] = await checkProcess(settingsSchema.parse({ http: { port: 0 } }), undefined);
  assert.equal(free?.state, 'ok');
});

test('an address that others can reach without encryption is found', () => {
  assert.deepEqual(
    checkExposure(settingsSchema.parse({})).map(({ state }) => state),
    ['ok'],
  );
  const [finding] = checkExposure(settingsSchema.parse({ http: { host: '0.0.0.0' } }));
  assert.equal(finding?.state, 'warn');
  assert.match(finding?.advice ?? '', /proxy with TLS/);
});

test('a process that does not answer is found', async () => {
  const holder = { pid: 1, host: 'h', startedAt: 0, purpose: 'pismak up', url: 'http://127.0.0.1:1' };
  const [, health] = await checkProcess(settingsSchema.parse({}), holder);
  assert.equal(health?.state, 'FAIL');
});

test('servers that do not answer are found, and those that do; embedded stores are no servers', async (context) => {
  assert.deepEqual(await checkServers(settingsSchema.parse({}), systemClock), []);
  const postgres = await sharedPostgres();
  context.after(() => postgres.close());
  const database = await postgres.createDatabase();
  const well = await checkServers(settingsSchema.parse({ database }), systemClock, 60_000);
  assert.deepEqual(
    well.map(({ check, state }) => [check, state]),
    [['database', 'ok']],
  );
  const broker = 'amqp://ann:top-secret@127.0.0.1:1/';
  const settings = settingsSchema.parse({ broker, coordination: 'zookeeper://127.0.0.1:1' });
  const findings = await checkServers(settings, systemClock, 3_000);
  assert.deepEqual(
    findings.map(({ check, state }) => [check, state]),
    [
      ['broker', 'FAIL'],
      ['coordination', 'FAIL'],
    ],
  );
  assert.match(findings[0]?.found ?? '', /ECONNREFUSED/);
  assert.doesNotMatch(JSON.stringify(findings), /top-secret/);
});

test('doctor tells whether processors can be confined, and what to do where they can not', async (context) => {
  const { sandbox } = settingsSchema.parse({});
  assert.equal((await checkSandbox({ sandbox })).state, 'ok');
  assert.equal((await checkSandbox({ sandbox: { use: 'off' } })).state, 'warn');
  const path = process.env.PATH;
  context.after(() => {
    process.env.PATH = path;
  });
  process.env.PATH = '/nowhere';
  const missing = await checkSandbox({ sandbox });
  assert.deepEqual([missing.state, missing.advice], ['warn', 'apt-get install bubblewrap']);
  assert.equal((await checkSandbox({ sandbox: { use: 'require' } })).state, 'FAIL');
});

test('doctor says what each running worker works with, what it cannot load, and when there is none', () => {
  const row = { ...sampleOf(workerRow), host: 'h', enabled: true };
  const { presence: _, ...bare } = row;
  const running = sampleOf(workerPresence);
  const of = (id: string, presence: object | null, more = {}) =>
    workerRow.parse({ ...bare, id, ...more, presence: presence && { ...running, id, ...presence } });
  const recognise = [
    'tesseract 5.3.0: models ces, deu',
    'pismak (onnxruntime 1.30.0): model print 1a for ces',
  ];
  const findings = describeWorkers([
    of('a', { tools: { recognise } }),
    of('b', { tools: {}, unable: { shout: 'no such module' } }),
    of('old', {}),
    of('off', { tools: {} }, { enabled: false }),
    of('gone', null),
  ]);
  assert.deepEqual(
    findings.map(({ check, state, found }) => [check, state, found]),
    [
      ['worker a', 'ok', `on h; recognise: ${recognise.join('; ')}`],
      ['worker b', 'warn', "on h; stage shout can't be loaded: no such module"],
      ['worker old', 'ok', 'on h; it does not report its tools (an older version)'],
      ['worker off', 'ok', 'on h, disabled'],
    ],
  );
  assert.deepEqual(
    describeWorkers([of('gone', null)]).map(({ check, state }) => [check, state]),
    [['workers', 'warn']],
  );
});

test('doctor tells what a hole in a decoder would open where a container forbids namespaces', async (context) => {
  const data = join(await temporaryDirectory(context), 'data');
  const main = fileURLToPath(new URL('../../main.ts', import.meta.url));
  for (const [through, opens] of [
    [inContainer.root, /what all users of this machine can read, and the network/],
    [inContainer.user, /opens everything that this user sees/],
  ] as const) {
    const parameters = ['doctor', '--data', data, '--json', '--set', 'http.port=0'];
    const started = startProgram(context, main, parameters, [...through]);
    const findings: Finding[] = JSON.parse((await started.rest()).join('\n'));
    const found = findings.find(({ check }) => check === 'decoders');
    assert.equal(found?.state, 'warn');
    assert.match(found.found, opens);
    assert.match(found.advice, /allow user namespaces/);
  }
});

test('doctor fails when something needs fixing, and says what to do', async (context) => {
  const directory = await temporaryDirectory(context);
  await writeFile(join(directory, 'pismak.toml'), 'nonsense = 1\n');
  const { code, stdout, stderr } = await runCommand(['doctor'], { directory });
  assert.equal(code, 1);
  assert.match(stdout, /FAIL +configuration +.*pismak\.toml:1.*correct it/);
  assert.match(stderr, /1 check failed/);
  const well = await runCommand(['doctor', '--json', '--set', 'http.port=0'], {
    directory: join(directory, 'other'),
  });
  assert.equal(well.code, 0);
  assert.ok((JSON.parse(well.stdout) as { state: string }[]).every(({ state }) => state !== 'FAIL'));
});
