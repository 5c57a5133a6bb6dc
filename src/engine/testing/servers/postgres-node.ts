import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { postgresCommand } from '../../local-servers/postgres-node.ts';
import { eventually } from '../eventually.ts';
import { freePort } from './free-port.ts';

export { postgresUser, run, runPostgres } from '../../local-servers/postgres-programs.ts';

/** Starts `postgres` on existing data. */
export async function startNode(data: string, settings: Record<string, string>) {
  const port = await freePort();
  let running: { pid: number; ended: Promise<void> } | undefined;

  const start = async () => {
    const endsWithUs = ['--pdeathsig', 'QUIT'];
    const command = await postgresCommand(data, { port: String(port), ...settings }, endsWithUs);
    const { program, args, cwd, env } = command;
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
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
    // The parent first: otherwise it would disconnect clients as after the crash of one child.
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
