import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { missingPackages } from '../../src/engine/local-servers/debian-packages.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import { freePort } from '../../src/engine/testing/servers/free-port.ts';
import { pismak } from '../command-line.ts';
import { commands, RunningPismak } from '../running-pismak.ts';
import { runBlocks, shellBlocks } from './shell-blocks.ts';

const root = join(import.meta.dirname, '..', '..');

/** One stack for all tests of this file: RabbitMQ takes its time to start. */
const directory = await mkdtemp(join(tmpdir(), 'pismak-stack-'));
const file = join(directory, 'stack.toml');
const stack = (...parameters: string[]) =>
  pismak(join(directory, 'data'), ['stack', ...parameters], { cwd: directory });

interface Row {
  server: string;
  state: string;
  role: string | null;
  port: number;
  pid: number | null;
  memory: number | null;
}
async function status(): Promise<Map<string, Row>> {
  const { out } = await stack('status', '--json');
  return new Map((JSON.parse(out) as Row[]).map((row) => [row.server, row]));
}

before(async () => {
  // PostgreSQL's user must be able to pass.
  await chmod(directory, 0o711);
  const { code, out, err } = await stack('up', '--toml', file);
  assert.equal(code, 0, `${out}\n${err}`);
});
after(async () => {
  await stack('down', '--delete');
  await rm(directory, { recursive: true, force: true });
});

test('after `stack up` has returned all servers run, each with its port, pid and memory', async () => {
  const servers = [...(await status()).values()];
  assert.deepEqual(
    servers.map(({ server, state }) => `${server} ${state}`),
    [
      'rabbit1',
      'rabbit2',
      'rabbit3',
      'zookeeper1',
      'zookeeper2',
      'zookeeper3',
      'postgres1',
      'postgres2',
      'epmd',
    ].map((name) => `${name} up`),
  );
  const roles = servers.map(({ role }) => role);
  assert.equal(roles.filter((role) => role === 'leader').length, 1);
  assert.deepEqual(roles.slice(6, 8), ['primary', 'standby']);
  for (const { pid, memory, port } of servers) assert.ok(pid && memory && port > 1024);
});

test('a second `stack up` starts nothing, and does not overwrite a file that somebody else wrote', async () => {
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const own = join(directory, 'own.toml');
  await writeFile(own, '# mine\n');
  const { code, out, err } = await stack('up', '--toml', own);
  assert.match(out, /^the stack in .* already runs\n$/);
  assert.equal(code, 1);
  assert.match(err, /own\.toml exists and was not written by `pismak stack`/);
  assert.equal(await readFile(own, 'utf8'), '# mine\n');
});

test('`pismak up` runs on it', async (t) => {
  const text = await readFile(file, 'utf8');
  const settings = Object.fromEntries(
    [...text.matchAll(/^(\w+) = "(.*)"$/gm)].map(([, name = '', url = '']) => [name, url]),
  );
  const running = new RunningPismak(join(directory, 'data'), settings, commands.up);
  t.after(() => running.stop());
  // Resolves when it says that all stores answer.
  await running.start();
});

test('servers that were killed are shown as dead, and `stack up` starts just them again', async () => {
  const killed = ['zookeeper2', 'postgres1', 'rabbit3'];
  const old = await status();
  for (const name of killed) process.kill(old.get(name)?.pid ?? Number.NaN, 'SIGKILL');
  const isDead = async () => {
    const now = await status();
    return killed.every((name) => now.get(name)?.state === 'dead');
  };
  await eventually('they are dead', isDead);
  const shown = await stack('status');
  assert.equal(shown.code, 3);
  const [, directoryToPromote = ''] =
    /postgres1, the primary, is dead; promote postgres2: `.*pg_ctl promote -D (\S+)`/.exec(
      shown.out + shown.err,
    ) ?? [];
  assert.ok((await stat(join(directoryToPromote, 'standby.signal'))).isFile());

  const { code, out, err } = await stack('up', '--json');
  assert.equal(code, 0, err);
  assert.deepEqual((JSON.parse(out) as { started: string[] }).started.sort(), [...killed].sort());
  const now = await status();
  for (const [name, { state, pid }] of now) {
    assert.equal(state, 'up', name);
    assert.equal(pid === old.get(name)?.pid, !killed.includes(name), name);
  }
});

test('the commands of docs/operations.md work', async () => {
  const page = await readFile(join(root, 'docs', 'operations.md'), 'utf8');
  const port = await freePort();
  const blocks = shellBlocks(page).map((block) => ({
    ...block,
    text: block.text.replaceAll(':7475', `:${port}`),
  }));
  await runBlocks(blocks, {
    cwd: directory,
    env: { ...(await surroundings()), PISMAK_HTTP_PORT: String(port) },
  });
});

/** What the page says to set: where the servers are, and how administrators get in. */
async function surroundings(): Promise<NodeJS.ProcessEnv> {
  const home = join(directory, '.pismak-stack');
  const { password } = JSON.parse(await readFile(join(home, 'stack.json'), 'utf8')) as { password: string };
  const rows = await status();
  const addresses = (...names: string[]) =>
    names.map((name) => `127.0.0.1:${rows.get(name)?.port}`).join(',');
  const programs = join(directory, 'bin');
  await mkdir(programs);
  const control = [
    '#!/bin/sh',
    `HOME=${home} ERL_EPMD_PORT=${rows.get('epmd')?.port} ERL_EPMD_ADDRESS=127.0.0.1 RABBITMQ_CONF_ENV_FILE=/dev/null`,
    'export HOME ERL_EPMD_PORT ERL_EPMD_ADDRESS RABBITMQ_CONF_ENV_FILE',
    'exec /usr/lib/rabbitmq/bin/rabbitmqctl -n rabbit1@localhost "$@"',
  ];
  await writeFile(join(programs, 'rabbitmqctl'), `${control.join('\n')}\n`, { mode: 0o755 });
  return {
    ...process.env,
    HOME: directory,
    PATH: `${programs}:${join(root, 'bin')}:${process.env.PATH}`,
    PGHOST: '127.0.0.1',
    PGPORT: String(rows.get('postgres1')?.port),
    PGUSER: 'stack',
    PGPASSWORD: password,
    PGDATABASE: 'postgres',
    POSTGRES: addresses('postgres1', 'postgres2'),
    RABBITMQ: addresses('rabbit1', 'rabbit2', 'rabbit3'),
    ZOOKEEPER: addresses('zookeeper1', 'zookeeper2', 'zookeeper3'),
    PASSWORD: 'a7secretOfTheTests',
    PISMAK_WORKER_COUNT: '1',
  };
}

test('where there is no stack, the command says how to make one', async () => {
  const { code, err } = await stack('down', '--directory', 'elsewhere');
  assert.equal(code, 3);
  assert.match(err, /there is no stack in .*elsewhere; `pismak stack up` creates one/);
});

test('missing Debian packages are named', () => {
  assert.deepEqual(missingPackages(), []);
  assert.deepEqual(
    missingPackages((path) => !path.includes('java')),
    ['default-jre-headless', 'libzookeeper-java', 'libslf4j-java'],
  );
});

test('`stack down` stops everything and keeps the state, `--delete` removes it', async () => {
  const old = await status();
  assert.match((await stack('down')).out, /9 servers are stopped/);
  for (const { state } of (await status()).values()) assert.equal(state, 'stopped');
  for (const { pid } of old.values()) assert.equal(await isRunning(pid), false);
  assert.match((await stack('down', '--delete')).out, /was not running/);
  await assert.rejects(stat(join(directory, '.pismak-stack')), { code: 'ENOENT' });
});

/** What nobody has buried does not run. */
async function isRunning(pid: number | null): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text !== '' && !/\) [ZX] /.test(text);
}
