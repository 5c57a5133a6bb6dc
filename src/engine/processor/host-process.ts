import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { PismakError } from '../errors.ts';
import type { Clock } from '../time/clock.ts';
import type { FromHost, ToHost } from './host-protocol.ts';

/** How long a processor that was told to stop may take before its process is killed. */
const graceMs = 1_000;
const memoryCheckMs = 1_000;

export interface HostJob {
  uuid: string;
  attempt: number;
  files: Extract<ToHost, { type: 'process' }>['files'];
  signal: AbortSignal;
  onLog(line: string): void;
}

export type HostAnswer =
  | Extract<FromHost, { type: 'done' | 'failed' }>
  | { type: 'crashed'; reason: string }
  | { type: 'timeout'; reason: string };

/**
 * A process that serves one version of one stage, one request at a time. Whatever happens to it, a job is answered;
 * after `crashed` or `timeout` it is dead and another must be made.
 */
export class HostProcess {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #limits: { timeoutMs: number; memoryMb: number };
  readonly #exited: Promise<string>;
  #answer: ((message: FromHost | undefined) => void) | undefined;
  #onLog: (line: string) => void = () => {};
  #killedFor: string | undefined;
  #lastWords = '';
  alive = true;
  rssBytes = 0;
  /** Requests that it has answered. */
  served = 0;

  constructor(parts: { clock: Clock; limits: { timeoutMs: number; memoryMb: number } }) {
    this.#clock = parts.clock;
    this.#limits = parts.limits;
    this.#child = fork(new URL('./host.ts', import.meta.url), {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${parts.limits.memoryMb}`],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: Ctrl-C in the terminal is for us, and a kill reaches the programs that it started too.
      detached: true,
      env: hostEnvironment(),
    });
    this.#child.on('message', (message: FromHost) => {
      if (message.type === 'log') this.#onLog(message.line);
      else this.#answer?.(message);
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        // What a native library prints just before it dies is often the only explanation there is.
        this.#lastWords = (this.#lastWords + text).slice(-2_000);
      });
    }
    this.#exited = new Promise((resolve) => {
      // Not `close`: after a disconnect of ours it never comes. What was printed last may need a moment more.
      this.#child.once('exit', (code, signal) => {
        // Programs that it started would outlive it.
        this.#killGroup();
        const read = [this.#child.stdout, this.#child.stderr].map(
          (stream) => stream && finished(stream).catch(() => {}),
        );
        void Promise.race([Promise.all(read), wait(500)]).then(() => resolve(describeExit(code, signal)));
      });
      this.#child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    });
    void this.#exited.then(() => {
      this.alive = false;
      this.#answer?.(undefined);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async load(message: Extract<ToHost, { type: 'load' }>): Promise<void> {
    const { timeoutMs } = this.#limits;
    const cancel = this.#clock.after(timeoutMs, () => this.#kill(`took longer than ${timeoutMs} ms to load`));
    const answer = await this.#ask(message);
    cancel();
    if (answer?.type === 'loaded') return;
    const reason = answer?.type === 'not-loaded' ? answer.reason : await this.#explain();
    await this.close();
    throw new PismakError(
      'processor-failed',
      `processor of stage ${message.stage} could not be loaded: ${reason}`,
    );
  }

  async run(job: HostJob): Promise<HostAnswer> {
    let stopWatching = () => {};
    let timedOut = false;
    const stop = () => {
      this.#send({ type: 'abort' });
      stopWatching = this.#clock.after(graceMs, () => this.#kill('did not stop when it was told to'));
    };
    const cancelTimeout = this.#clock.after(this.#limits.timeoutMs, () => {
      timedOut = true;
      stop();
    });
    const stopMemoryWatch = this.#watchMemory();
    this.#onLog = job.onLog;
    try {
      const asked = this.#ask({ type: 'process', uuid: job.uuid, attempt: job.attempt, files: job.files });
      // Only now: an order to stop that came before the work would stop nothing.
      job.signal.addEventListener('abort', stop, { once: true });
      if (job.signal.aborted) stop();
      const answer = await asked;
      if (timedOut) {
        return { type: 'timeout', reason: `took longer than ${this.#limits.timeoutMs} ms` };
      }
      if (answer?.type === 'done' || answer?.type === 'failed') {
        this.rssBytes = answer.rssBytes;
        this.served++;
        return answer;
      }
      return { type: 'crashed', reason: await this.#explain() };
    } finally {
      cancelTimeout();
      stopWatching();
      stopMemoryWatch();
      job.signal.removeEventListener('abort', stop);
      this.#onLog = () => {};
      if (timedOut) this.#kill('timeout');
    }
  }

  /** Closes the pipe, upon which the process exits; kills it when it doesn't. */
  async close(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const cancel = this.#clock.after(graceMs, () => this.#kill('did not exit'));
    await this.#exited;
    cancel();
  }

  #ask(message: ToHost): Promise<FromHost | undefined> {
    if (!this.alive) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#answer = (answer) => {
        this.#answer = undefined;
        resolve(answer);
      };
      this.#send(message);
    });
  }

  #send(message: ToHost): void {
    // An error here means that the process is going away, which `close` reports.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #kill(reason: string): void {
    if (!this.alive) return;
    this.#killedFor ??= reason;
    this.#killGroup();
  }

  /** It leads a process group of its own. */
  #killGroup(): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // Nobody is left in it.
    }
  }

  async #explain(): Promise<string> {
    const exit = await this.#exited;
    const words = this.#lastWords.trim();
    const reason = this.#killedFor ?? exit;
    return `the processor's process ended: ${reason}${words === '' ? '' : `\n${words}`}`;
  }

  /** Node limits its own heap; what native code takes is seen only from outside. */
  #watchMemory(): () => void {
    const limit = this.#limits.memoryMb * 1024 * 1024 * 1.5;
    let cancel = () => {};
    const check = async () => {
      const bytes = await residentBytes(this.#child.pid);
      if (bytes > limit)
        this.#kill(`used ${Math.round(bytes / 1048576)} MB, its limit is ${this.#limits.memoryMb} MB`);
      else cancel = this.#clock.after(memoryCheckMs, check);
    };
    cancel = this.#clock.after(memoryCheckMs, check);
    return () => {
      cancel();
      cancel = () => {};
    };
  }
}

async function residentBytes(pid: number | undefined): Promise<number> {
  try {
    const statm = await readFile(`/proc/${pid}/statm`, 'utf8');
    return Number(statm.split(' ')[1]) * 4096;
  } catch {
    // Not Linux, or it has just ended.
    return 0;
  }
}

/** A processor gets what programs need to run, and none of our secrets. */
function hostEnvironment(): NodeJS.ProcessEnv {
  const wanted = [
    'PATH',
    'HOME',
    'LANG',
    'LC_ALL',
    'TZ',
    'TMPDIR',
    'NODE_COMPILE_CACHE',
    'NODE_EXTRA_CA_CERTS',
  ];
  return Object.fromEntries(wanted.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

function describeExit(code: number | null, signal: string | null): string {
  if (signal) return `killed by ${signal}`;
  return `exit code ${code}`;
}
