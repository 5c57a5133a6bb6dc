import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openHttpClient } from '../src/cli/client/http-client.ts';
import { readHolder } from '../src/engine/data-directory/data-directory.ts';
import { systemClock } from '../src/engine/time/clock.ts';
import type { Client } from '../src/terminal/client/client.ts';

const root = join(import.meta.dirname, '..');

/** How it is started, before its options. */
export const commands = {
  npmStart: ['npm', 'start', '--silent', '--'],
  up: [join(root, 'bin', 'pismak'), 'up'],
} as const;

/** In front of a command: it ends with this process, however that ends. */
export const endsWithUs = ['setpriv', '--pdeathsig', 'KILL'] as const;

/** `npm start` (or `pismak up`) as a user runs it, on a data directory of its own. It can be killed and started again. */
export class RunningPismak {
  readonly #directory: string;
  readonly #settings: readonly string[];
  readonly #command: readonly string[];
  #process: ChildProcess | undefined;
  #output = '';
  #holder: { url: string; token: string; pid: number } | undefined;

  constructor(
    directory: string,
    settings: Readonly<Record<string, string | number>> = {},
    command: readonly string[] = commands.npmStart,
  ) {
    this.#directory = directory;
    this.#command = command;
    this.#settings = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  }

  get url(): string {
    if (!this.#holder) throw new Error('not running');
    return this.#holder.url;
  }

  /** Of the program itself, not of npm or the shell around it. */
  get pid(): number {
    if (!this.#holder) throw new Error('not running');
    return this.#holder.pid;
  }

  get output(): string {
    return this.#output;
  }

  /** Resolves to the milliseconds from the command to the first healthy answer. */
  async start(mostMs = 60_000): Promise<number> {
    const startedAt = performance.now();
    const [command = '', ...before] = this.#command;
    const parameters = [...before, '--data', this.#directory, '--port', '0', ...this.#settings];
    // A process group of its own, so that a kill reaches npm, the shell and the program at the same moment.
    const child = spawn(command, parameters, {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-20_000);
      });
    }
    for (;;) {
      if (child.exitCode !== null)
        throw new Error(`${command} ended with ${child.exitCode}:\n${this.#output}`);
      if (performance.now() - startedAt > mostMs)
        throw new Error(`not healthy within ${mostMs / 1000} s:\n${this.#output}`);
      if (await this.#healthy()) return performance.now() - startedAt;
      await wait(50);
    }
  }

  /** SIGKILL to every process at once: what a power cut looks like from inside. */
  async kill(): Promise<void> {
    await this.#signal('SIGKILL');
  }

  /** Kills it and starts it on what the disk has; resolves as `start` does. */
  async restart(): Promise<number> {
    await this.kill();
    return this.start();
  }

  async stop(): Promise<void> {
    await this.#signal('SIGTERM');
  }

  /** SIGSTOP: it is there and does nothing, until `resume`. */
  pause(): void {
    if (this.#process?.pid) process.kill(-this.#process.pid, 'SIGSTOP');
  }

  resume(): void {
    if (this.#process?.pid) process.kill(-this.#process.pid, 'SIGCONT');
  }

  async metrics(): Promise<string> {
    if (!this.#holder) throw new Error('not running');
    const { url, token } = this.#holder;
    return (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  }

  /** Calls an operation that changes something; rejects with its message, or when nobody answers. */
  call<T>(operation: string, input: object): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    return this.#ask(operation, '', { method: 'POST', headers, body: JSON.stringify(input) });
  }

  /** Calls an operation that only reads. */
  read<T>(operation: string, input: Readonly<Record<string, string>> = {}): Promise<T> {
    return this.#ask(operation, `?${new URLSearchParams(input)}`, {});
  }

  async #ask<T>(operation: string, query: string, init: RequestInit): Promise<T> {
    if (!this.#holder) throw new Error('not running');
    const { url, token } = this.#holder;
    const response = await fetch(`${url}/api/v1/${operation.replace('.', '/')}${query}`, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${token}` },
    });
    const answer = (await response.json()) as T & { error?: { code: string; message: string } };
    if (!response.ok) throw new Error(`${operation}: ${answer.error?.code}: ${answer.error?.message}`);
    return answer;
  }

  /** What commands talk through: for reading, uploads and downloads. Of this life only; whoever opens it closes it. */
  client(): Client {
    if (!this.#holder) throw new Error('not running');
    const interruption = new AbortController().signal;
    return openHttpClient({ ...this.#holder, clock: systemClock, interruption });
  }

  async #healthy(): Promise<boolean> {
    const holder = await readHolder(this.#directory);
    if (!holder?.url || !holder.token) return false;
    this.#holder = { url: holder.url, token: holder.token, pid: holder.pid };
    try {
      return (await fetch(`${holder.url}/api/v1/health`)).ok;
    } catch {
      return false;
    }
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#holder = undefined;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const closed = new Promise((resolve) => child.once('close', resolve));
    process.kill(-child.pid, signal);
    await closed;
    this.#process = undefined;
  }
}
