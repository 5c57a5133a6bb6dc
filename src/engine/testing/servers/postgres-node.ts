import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../eventually.ts';
import { freePort } from './free-port.ts';

const execute = promisify(execFile);
/** The server's user may not look into our home, and settings of ours (PGHOST) are not for it. */
const surroundings = { cwd: '/', env: { PATH: process.env.PATH, HOME: '/', LC_ALL: 'C' } };

/** Whom servers run as: they refuse root. Undefined = as whoever we are. */
export async function postgresUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((entry) => /^postgres:/.test(entry));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (!uid || !gid) throw new Error('There is no user postgres: install the Debian package postgresql');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Runs a program and gives back what it printed. */
export async function run(program: string, args: string[]): Promise<string> {
  try {
    return (await execute(program, args, surroundings)).stdout.trim();
  } catch (error) {
    // Arguments hold passwords: only what the program said may come out.
    const { stderr = '', code } = error as { stderr?: string; code?: unknown };
    throw new Error(`${program} has failed (${String(code)}): ${stderr.slice(-1000)}`);
  }
}

/** Runs one of the server's own programs, which lie outside the PATH, as the server's user. */
export async function runPostgres(program: string, args: string[]): Promise<string> {
  const [command = '', ...rest] = await commandOf(program);
  return run(command, [...rest, ...args]);
}

/** Starts `postgres` on existing data. */
export async function startNode(data: string, settings: Record<string, string>) {
  const port = await freePort();
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '64MB',
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let running: { pid: number; ended: Promise<void> } | undefined;

  const start = async () => {
    const [command = '', ...rest] = await commandOf('postgres', ['--pdeathsig', 'QUIT']);
    const child = spawn(command, [...rest, '-D', data, ...options], {
      ...surroundings,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'exit').then(() => {
      running = undefined;
    });
    running = { pid: child.pid ?? -1, ended };
    let said = '';
    const ready = Promise.withResolvers<void>();
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2000);
      if (/ready to accept (read-only )?connections/.test(said)) ready.resolve();
    });
    void ended.then(() => ready.reject(new Error(`postgres did not start: ${said}`)));
    await ready.promise;
    // The test may end before the server does.
    child.unref();
  };
  const stop = async () => {
    if (!running) return;
    process.kill(running.pid, 'SIGINT');
    await running.ended;
  };
  const kill = async () => {
    if (!running) return;
    const { pid, ended } = running;
    const children = await childrenOf(pid);
    // First the parent, or it would say goodbye to clients as after a crash of one child.
    for (const each of [pid, ...children]) send(each, 'SIGKILL');
    await ended;
    // Until the last one is gone, `start` would find the memory in use.
    await eventually('its processes are gone', () => !children.some(isRunning));
  };
  const freeze = async () => {
    if (!running) return;
    for (const each of [running.pid, ...(await childrenOf(running.pid))]) send(each, 'SIGSTOP');
  };
  await start();
  return { port, start, stop, kill, freeze };
}

async function commandOf(program: string, more: string[] = []): Promise<string[]> {
  const root = '/usr/lib/postgresql';
  const [newest] = (await readdir(root)).sort((a, b) => Number(b) - Number(a));
  const user = await postgresUser();
  const as = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
  return ['setpriv', ...as, ...more, join(root, newest ?? '', 'bin', program)];
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

/** One that has ended may stay as a zombie for as long as the system likes. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
