import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { version } from '../../src/engine/ground/version.ts';
import { runPostgres } from '../../src/engine/local-servers/postgres-programs.ts';
import { loadSettings } from '../../src/engine/settings/load.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { parseClickHouseUrl } from '../../src/statistics/store/clickhouse/parse-url.ts';
import { clickHouseServer } from '../../src/statistics/store/clickhouse/server.ts';
import { startClickHouse } from '../../src/statistics/testing/clickhouse-server.ts';
import { exitCodes } from '../../src/terminal/exit-codes.ts';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const source = join(root, 'deploy');

const inDeploy = (file: string) => readFile(join(source, file), 'utf8');

async function variables(file: string): Promise<Record<string, string>> {
  const lines = (await inDeploy(file)).split('\n').filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

test('compose accepts compose.yaml once the example files are copied; images are pinned, services watched', async (t) => {
  const deploy = join(await temporaryDirectory(t), 'deploy');
  await cp(source, deploy, { recursive: true });
  for (const file of await readdir(join(deploy, 'env'))) {
    await cp(join(deploy, 'env', file), join(deploy, 'env', file.replace(/\.example$/, '')));
  }
  const { stdout } = await execute('docker-compose', ['--profile', 'clickhouse', 'config'], { cwd: deploy });
  const services = stdout
    .slice(stdout.indexOf('services:'), stdout.search(/^(version|volumes):/m))
    .split(/\n {2}(?=\w)/)
    .slice(1);
  const names = services.map((text) => text.slice(0, text.indexOf(':')));
  assert.deepEqual(names.sort(), [
    'ch1',
    'ch2',
    'ch3',
    'ch4',
    'db1',
    'db2',
    'pismak',
    'rabbit1',
    'rabbit2',
    'rabbit3',
    'worker',
    'zk1',
    'zk2',
    'zk3',
  ]);
  for (const service of services) {
    assert.match(service, /image: [a-z]+:\d+\.\d+\.?\d*/);
    assert.match(service, /healthcheck:/);
    assert.match(service, /restart: unless-stopped/);
  }
  assert.match(stdout, new RegExp(`image: pismak:${version.replaceAll('.', '\\.')}`));
});

test('no password stands in a file of deploy but in the examples, where each must be changed', async () => {
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.example')) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
    assert.doesNotMatch(text, /change-me|:\/\/\w+:\w+@/, entry.name);
  }
});

test('pismak.toml and the addresses of the examples are settings that Pismak takes', async () => {
  const environment = await variables('env/pismak.env.example');
  const { settings } = await loadSettings({
    commandLine: { config: join(source, 'pismak.toml') },
    environment,
  });
  assert.match(settings.broker, /^amqp:.*rabbit1,rabbit2,rabbit3/);
  const { PISMAK_COORDINATION } = await variables('env/worker.env.example');
  assert.equal(PISMAK_COORDINATION, settings.coordination);
  const timeout = /^consumer_timeout = (\d+)$/m.exec(await inDeploy('rabbitmq/rabbitmq.conf'))?.[1];
  assert.equal(settings.rabbitmq.consumerTimeoutMs, Number(timeout));
});

test('PostgreSQL takes its settings, and the scripts are bash', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'postgresql.conf');
  // Below a directory that the server's user may enter.
  await writeFile(file, await inDeploy('postgresql/postgresql.conf'), { mode: 0o644 });
  await execute('chmod', ['755', directory]);
  const said = await runPostgres('postgres', [
    '-D',
    directory,
    '-c',
    `config_file=${file}`,
    '-C',
    'max_connections',
  ]);
  assert.equal(said, '200');
  for (const script of ['create-replication.sh', 'start-standby.sh']) {
    await execute('bash', ['-n', join(source, 'postgresql', script)]);
  }
});

test('ClickHouse takes its settings, and the example names two shards of two replicas', async (t) => {
  const servers = await startClickHouse({ settings: join(source, 'clickhouse', 'pismak.xml') });
  t.after(() => servers.close());
  const place = parseClickHouseUrl(servers.urlOf());
  const server = clickHouseServer(servers.nodes[0]?.address ?? '', place);
  const name = 'zookeeper_session_expiration_check_period';
  const sql = `SELECT value FROM system.merge_tree_settings WHERE name = '${name}'`;
  assert.equal((await server.ask({ sql })).toString().trim(), '1');
  const [, url = ''] =
    /^# PISMAK_STATISTICS_STORE=(.*)$/m.exec(await inDeploy('env/pismak.env.example')) ?? [];
  const { shards, quorum, password } = parseClickHouseUrl(url);
  assert.deepEqual(shards, [
    ['ch1:8123', 'ch2:8123'],
    ['ch3:8123', 'ch4:8123'],
  ]);
  assert.equal(quorum, 2);
  assert.equal(password, (await variables('env/clickhouse.env.example')).CLICKHOUSE_PASSWORD);
});

const units = ['pismak.service', 'pismak-worker@.service'];
const unitDirectory = await temporaryDirectory({ after });
before(async () => {
  for (const unit of units) {
    // Systemd looks whether the command is there.
    const text = (await inDeploy(join('systemd', unit))).replaceAll('/opt/pismak/bin', join(root, 'bin'));
    await writeFile(join(unitDirectory, unit.replace('@.', '@1.')), text);
  }
});

test('systemd accepts the units without a warning', async () => {
  for (const unit of units) {
    const { stdout, stderr } = await execute('systemd-analyze', [
      'verify',
      '--man=no',
      join(unitDirectory, unit.replace('@.', '@1.')),
    ]);
    assert.equal(stdout + stderr, '', unit);
  }
});

test('systemd finds the units little exposed, and both alike', async () => {
  for (const unit of units) {
    // In tenths: fails above 2.3 of 10. The sandbox of processors needs namespaces and mounts, which count 0.3.
    const options = ['security', '--offline=true', '--no-pager', '--threshold=23'];
    await execute('systemd-analyze', [...options, join(unitDirectory, unit.replace('@.', '@1.'))]);
  }
  const hardening = async (unit: string) => {
    const text = await inDeploy(join('systemd', unit));
    return text.slice(text.indexOf('UMask='));
  };
  assert.equal(await hardening('pismak-worker@.service'), await hardening('pismak.service'));
});

test('systemd starts a worker again whatever ends it, except the order to stop', async () => {
  const unit = await inDeploy('systemd/pismak-worker@.service');
  assert.match(unit, /^Restart=always$/m);
  assert.match(unit, new RegExp(`^RestartPreventExitStatus=${exitCodes.stopped}$`, 'm'));
  assert.match(unit, new RegExp(`^SuccessExitStatus=${exitCodes.stopped}$`, 'm'));
});
