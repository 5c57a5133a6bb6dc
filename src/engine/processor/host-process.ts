import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { workDirectoryName } from '../files/work-directory.ts';
import { PismakError } from '../ground/errors.ts';
import { giveWay } from '../process/give-way.ts';
import { innermost, signalOf } from '../sandbox/innermost.ts';
import type { Clock } from '../time/clock.ts';
import { type FromHost, type StageLoad, type StageVersion, stageKey, type ToHost } from './host-protocol.ts';
import { watchMemory } from './memory-watch.ts';
import type { Sandbox } from './sandbox.ts';

/** How long a processor may take to stop before its process is killed. */
const graceMs = 1_000;

/** A process that does not react for this long is still busy with earlier work. */
const deafMs = 5_000;

export interface Limits {
  timeoutMs: number;
  memoryMb: number;
}

export interface HostJob {
  stage: StageVersion & Limits;
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
 * A process that serves the stages loaded in it, one request at a time. It is
 *
 * - *starting* until its program listens;
 * - *idle*, with any number of stages loaded;
 * - *busy* with one job, or with loading a stage;
 * - *dead* (`alive` is false) after it crashed, was killed for exceeding its time or memory, or was closed. It must be replaced.
 *
 * Every job gets an answer, whatever happens to the process.
 */
export class HostProcess {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  /** In order of use, most recently used last. */
  readonly #loaded = new Map<string, StageVersion>();
  #answer: ((message: FromHost | undefined) => void) | undefined;
  #onBegun = () => {};
  #onLog: (line: string) => void = () => {};
  #killedFor: string | undefined;
  #lastWords = '';
  #bareBytes = 0;
  #loads = 0;
  #served = 0;
  #nodePid: number | undefined;
  readonly heapMb: number;
  /** Whether it can use the network. */
  readonly network: boolean;
  readonly exited: Promise<string>;
  alive = true;
  rssBytes = 0;

  constructor(parts: { clock: Clock; heapMb: number; network?: boolean; sandbox?: Sandbox | undefined }) {
    this.#clock = parts.clock;
    this.heapMb = parts.heapMb;
    this.network = parts.network ?? true;
    const directory = parts.sandbox ? mkdtempSync(workDirectoryName()) : undefined;
    const [program = process.execPath, ...confined] =
      (directory && parts.sandbox?.prefix({ network: this.network, directory })) || [];
    if (directory !== undefined) confined.push(process.execPath);
    this.#child = fork(new URL('./host.ts', import.meta.url), {
      serialization: 'advanced',
      execPath: program,
      execArgv: [...confined, `--max-old-space-size=${parts.heapMb}`],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Its own process group: Ctrl-C in the terminal reaches only us, and a kill reaches the programs that it started too.
      detached: true,
      env: { ...hostEnvironment(), ...parts.sandbox?.environment },
    });
    giveWay(this.#child.pid);
    this.#child.on('message', (message: FromHost) => this.#hear(message));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        // The last words of a native library before it dies are often the only explanation.
        this.#lastWords = (this.#lastWords + text).slice(-2_000);
      });
    }
    this.exited = new Promise((resolve) => {
      // Not `close`: after a disconnect of ours it never comes. Its last output may need a moment more.
      this.#child.once('exit', (code, signal) => {
        // Otherwise, programs that it started would outlive it.
        this.#killGroup();
        const read = [this.#child.stdout, this.#child.stderr].map(
          (stream) => stream && finished(stream).catch(() => {}),
        );
        void Promise.race([Promise.all(read), wait(500)]).then(() => resolve(describeExit(code, signal)));
      });
      this.#child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    });
    void this.exited.then(() => {
      this.alive = false;
      this.#answer?.(undefined);
      if (directory !== undefined) void rm(directory, { recursive: true, force: true }).catch(() => {});
    });
  }

  get pid(): number | undefined {
    return this.#nodePid ?? this.#child.pid;
  }

  /** Whether no processor code has run in it. */
  get isBare(): boolean {
    return this.#loads === 0;
  }

  /** Whether anything other than the first request of its only stage has run in it, and may have damaged it. */
  get isUsed(): boolean {
    return this.#served > 0 || this.#loads > 1;
  }

  /** Stages that are loaded, least recently used first. */
  get loaded(): StageVersion[] {
    return [...this.#loaded.values()];
  }

  has(stage: StageVersion): boolean {
    return this.#loaded.has(stageKey(stage));
  }

  /** Makes it load what nearly every processor needs, while no request waits. */
  warm(): void {
    this.#send({ type: 'warm' });
  }

  async load(message: StageLoad, { timeoutMs }: Limits): Promise<void> {
    const used = !this.isBare;
    this.#loads++;
    const cancel = this.#clock.after(timeoutMs, () => this.#kill(`took longer than ${timeoutMs} ms to load`));
    const answer = await this.#ask({ type: 'load', ...message }, used);
    cancel();
    if (answer?.type === 'loaded') {
      this.rssBytes = answer.rssBytes;
      this.#loaded.set(stageKey(message.stage), message.stage);
      return;
    }
    const reason = answer?.type === 'not-loaded' ? answer.reason : await this.#explain();
    await this.close();
    throw new PismakError(
      'processor-failed',
      `processor of stage ${message.stage.name} could not be loaded: ${reason}`,
    );
  }

  unload(stage: StageVersion): void {
    if (this.#loaded.delete(stageKey(stage))) this.#send({ type: 'unload', stage });
  }

  async run(job: HostJob): Promise<HostAnswer> {
    const { name, version, timeoutMs, memoryMb } = job.stage;
    const stage = { name, version };
    // The most recently used stage is the last to be unloaded.
    this.#loaded.delete(stageKey(stage));
    this.#loaded.set(stageKey(stage), stage);
    let stopWatching = () => {};
    let timedOut = false;
    const stop = () => {
      this.#send({ type: 'abort' });
      stopWatching = this.#clock.after(graceMs, () => this.#kill('did not stop when asked to'));
    };
    const cancelTimeout = this.#clock.after(timeoutMs, () => {
      timedOut = true;
      stop();
    });
    const stopMemoryWatch = watchMemory({
      pid: this.pid,
      memoryMb,
      bareBytes: this.#bareBytes,
      clock: this.#clock,
      onExcess: (reason) => this.#kill(reason),
    });
    this.#onLog = job.onLog;
    try {
      const { uuid, attempt, files } = job;
      const asked = this.#ask({ type: 'process', stage, uuid, attempt, files }, this.isUsed);
      // Only now: a stop sent before the work would have no effect.
      job.signal.addEventListener('abort', stop, { once: true });
      if (job.signal.aborted) stop();
      const answer = await asked;
      if (timedOut) return { type: 'timeout', reason: `took longer than ${timeoutMs} ms` };
      if (answer?.type === 'done' || answer?.type === 'failed') {
        this.rssBytes = answer.rssBytes;
        return answer;
      }
      return { type: 'crashed', reason: await this.#explain() };
    } finally {
      this.#served++;
      cancelTimeout();
      stopWatching();
      stopMemoryWatch();
      job.signal.removeEventListener('abort', stop);
      this.#onLog = () => {};
      if (timedOut) this.#kill('timeout');
    }
  }

  /** Closes the pipe, which makes the process exit; kills it if it doesn't. */
  async close(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const cancel = this.#clock.after(graceMs, () => this.#kill('did not exit'));
    await this.exited;
    cancel();
  }

  #hear(message: FromHost): void {
    if (message.type === 'log') this.#onLog(message.line);
    else if (message.type === 'begun') this.#onBegun();
    else if (message.type === 'ready') {
      this.#bareBytes = message.rssBytes;
      this.#nodePid = innermost(this.#child.pid);
    } else this.#answer?.(message);
  }

  /** `used`: earlier work may keep it from reacting; the answer is then that it crashed. */
  #ask(message: ToHost, used: boolean): Promise<FromHost | undefined> {
    if (!this.alive) return Promise.resolve(undefined);
    const cancel = used
      ? this.#clock.after(deafMs, () => this.#kill('was still busy with what ran in it before'))
      : () => {};
    this.#onBegun = cancel;
    return new Promise((resolve) => {
      this.#answer = (answer) => {
        cancel();
        this.#answer = undefined;
        resolve(answer);
      };
      this.#send(message);
    });
  }

  #send(message: ToHost): void {
    // An error here means that the process is exiting, which `close` reports.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #kill(reason: string): void {
    if (!this.alive) return;
    this.#killedFor ??= reason;
    // At once, so that it gets no other request before it has ended.
    this.alive = false;
    this.#killGroup();
  }

  /** It leads its own process group. */
  #killGroup(): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // The group is empty.
    }
  }

  async #explain(): Promise<string> {
    const exit = await this.exited;
    const words = this.#lastWords.trim();
    const reason = this.#killedFor ?? exit;
    return `the processor's process ended: ${reason}${words === '' ? '' : `\n${words}`}`;
  }
}

/**
 * For glibc: makes it return larger buffers to the system when they are freed. By default it keeps freed buffers of up to 32 MB for later:
 * a process that read large pages one after another grew to 480 MB, and with this setting to 350 MB, in the same time.
 */
const mappedBytes = String(1024 * 1024);

/** A processor gets the environment that programs need to run, and none of our secrets. */
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
    // Where Tesseract's models are.
    'TESSDATA_PREFIX',
  ];
  const given = wanted.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  return { ...Object.fromEntries(given), MALLOC_MMAP_THRESHOLD_: mappedBytes };
}

function describeExit(code: number | null, signal: string | null): string {
  const killedBy = signalOf(code, signal);
  return killedBy === undefined ? `exit code ${code}` : `killed by ${killedBy}`;
}
