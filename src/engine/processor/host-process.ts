import { type ChildProcess, fork } from 'node:child_process';
import { finished } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { messageOf, PismakError } from '../ground/errors.ts';
import { giveWay } from '../process/give-way.ts';
import { innermost, signalOf } from '../sandbox/innermost.ts';
import type { Clock } from '../time/clock.ts';
import { hostEnvironment } from './host-environment.ts';
import {
  type Ask,
  type FromHost,
  type Given,
  type StageVersion,
  stageKey,
  type ToHost,
} from './host-protocol.ts';
import { JobBytes } from './job-bytes.ts';
import { watchMemory } from './memory-watch.ts';
import { ProcessFolders } from './process-folders.ts';
import { readFromHost } from './read-from-host.ts';
import { Refusal } from './refusal.ts';
import type { Sandbox } from './sandbox.ts';
import { StageBytes } from './stage-bytes.ts';
import type { StageCode } from './stage-code.ts';

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
  /** It wanted what it may not have. */
  | { type: 'refused'; reason: string }
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
  readonly #loaded = new Map<string, StageCode>();
  readonly #folders: ProcessFolders;
  readonly #stageBytes: StageBytes;
  #job: JobBytes | undefined;
  #answer: ((message: FromHost | undefined) => void) | undefined;
  #onBegun = () => {};
  #onLog: (line: string) => void = () => {};
  #killedFor: string | undefined;
  #refused: string | undefined;
  #lastWords = '';
  #bareBytes = 0;
  #loads = 0;
  #served = 0;
  #nodePid: number | undefined;
  readonly heapMb: number;
  /** Whether it can use the network. */
  readonly network: boolean;
  /** Nothing of it runs any more, and its directories are removed. */
  readonly exited: Promise<string>;
  alive = true;
  rssBytes = 0;

  constructor(parts: {
    clock: Clock;
    heapMb: number;
    network?: boolean;
    sandbox?: Sandbox | undefined;
    /** Where the process gets its bytes; on the device of the blobs, so that none are copied. */
    inputs: string;
  }) {
    this.#clock = parts.clock;
    this.heapMb = parts.heapMb;
    this.network = parts.network ?? true;
    this.#folders = new ProcessFolders(parts.inputs, parts.clock);
    this.#stageBytes = new StageBytes(this.#folders);
    const { own, inputs } = this.#folders;
    const [program = process.execPath, ...confined] =
      parts.sandbox?.prefix({ network: this.network, directory: own, inputs }) ?? [];
    if (parts.sandbox) confined.push(process.execPath);
    this.#child = fork(new URL('./host.ts', import.meta.url), {
      serialization: 'advanced',
      execPath: program,
      execArgv: [...confined, `--max-old-space-size=${parts.heapMb}`],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Its own process group: Ctrl-C in the terminal reaches only us, and a kill reaches the programs that it started too.
      detached: true,
      env: { ...hostEnvironment(), TMPDIR: own, ...parts.sandbox?.environment },
    });
    giveWay(this.#child.pid);
    this.#child.on('message', (message) => this.#hear(readFromHost(message)));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        // The last words of a native library before it dies are often the only explanation.
        this.#lastWords = (this.#lastWords + text).slice(-2_000);
      });
    }
    this.exited = new Promise((resolve) => {
      // Not `close`: after a disconnect of ours it never comes. Its last output may need a moment more.
      this.#child.once('exit', (code, signal) => {
        this.alive = false;
        // Otherwise, programs that it started would outlive it.
        this.#killGroup();
        const read = [this.#child.stdout, this.#child.stderr].map(
          (stream) => stream && finished(stream).catch(() => {}),
        );
        const ended = Promise.race([Promise.all(read), wait(500)]);
        // Directories that can't be removed are swept at the next start.
        void Promise.all([ended, this.#folders.remove().catch(() => {})]).then(() =>
          resolve(describeExit(code, signal)),
        );
      });
      this.#child.once('error', (error) => {
        const resolveWith = () => resolve(`could not be started: ${error.message}`);
        void this.#folders.remove().then(resolveWith, resolveWith);
      });
    });
    void this.exited.then(() => {
      this.alive = false;
      this.#answer?.(undefined);
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
    return [...this.#loaded.values()].map(({ stage }) => stage);
  }

  has(stage: StageVersion): boolean {
    return this.#loaded.has(stageKey(stage));
  }

  /** Makes it load what nearly every processor needs, while no request waits. */
  warm(): void {
    this.#send({ type: 'warm' });
  }

  async load(code: StageCode): Promise<void> {
    const { name, version, config, files, timeoutMs } = code.stage;
    const { module, commands = [] } = code;
    const used = !this.isBare;
    this.#loads++;
    this.#stageBytes.allow(code);
    const cancel = this.#clock.after(timeoutMs, () => this.#kill(`took longer than ${timeoutMs} ms to load`));
    const named = files.map((file) => ({ name: file.name, hash: file.hash }));
    const message = {
      type: 'load',
      stage: { name, version },
      module,
      config,
      files: named,
      commands,
    } as const;
    const answer = await this.#ask(message, used);
    cancel();
    if (answer?.type === 'loaded') {
      this.rssBytes = answer.rssBytes;
      this.#loaded.set(stageKey(code.stage), code);
      return;
    }
    const reason = answer?.type === 'not-loaded' ? answer.reason : await this.#explain();
    await this.close();
    throw new PismakError('processor-failed', `processor of stage ${name} could not be loaded: ${reason}`);
  }

  unload(stage: StageVersion): void {
    if (!this.#loaded.delete(stageKey(stage))) return;
    this.#send({ type: 'unload', stage: { name: stage.name, version: stage.version } });
    this.#stageBytes.forget(stage);
  }

  async run(job: HostJob): Promise<HostAnswer> {
    const { name, version, timeoutMs, memoryMb } = job.stage;
    const stage = { name, version };
    const code = this.#loaded.get(stageKey(stage));
    if (!code) return { type: 'crashed', reason: `stage ${name} is not loaded in this process` };
    // The most recently used stage is the last to be unloaded.
    this.#loaded.delete(stageKey(stage));
    this.#loaded.set(stageKey(stage), code);
    const { blobs, largestFileBytes } = code;
    const parts = { number: this.#served + 1, blobs, largestFileBytes, folders: this.#folders };
    const bytes = new JobBytes({ ...parts, files: job.files });
    this.#job = bytes;
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
      const asked = this.#ask(
        { type: 'process', job: bytes.number, stage, uuid, attempt, files },
        this.isUsed,
      );
      // Only now: a stop sent before the work would have no effect.
      job.signal.addEventListener('abort', stop, { once: true });
      if (job.signal.aborted) stop();
      const answer = await asked;
      const left = answer?.type === 'done' ? this.#checked(answer, bytes) : answer;
      if (this.#refused !== undefined) return { type: 'refused', reason: this.#refused };
      if (timedOut) return { type: 'timeout', reason: `took longer than ${timeoutMs} ms` };
      if (left?.type === 'done' || left?.type === 'failed') {
        this.rssBytes = left.rssBytes;
        return left;
      }
      return { type: 'crashed', reason: await this.#explain() };
    } finally {
      this.#job = undefined;
      await bytes.close();
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

  #hear(message: FromHost | undefined): void {
    if (message === undefined) this.#kill('said what nobody understands');
    else if (message.type === 'fetch' || message.type === 'fetch-stage-file' || message.type === 'store')
      void this.#give(message);
    else if (message.type === 'log') this.#onLog(message.line);
    else if (message.type === 'begun') this.#onBegun();
    else if (message.type === 'ready') {
      this.#bareBytes = message.rssBytes;
      this.#nodePid = innermost(this.#child.pid);
    } else this.#answer?.(message);
  }

  async #give(ask: Ask): Promise<void> {
    try {
      this.#send({ type: 'given', id: ask.id, ...(await this.#bytesFor(ask)) });
    } catch (error) {
      if (!(error instanceof Refusal)) this.#send({ type: 'denied', id: ask.id, reason: messageOf(error) });
      // What a dead process asked for is gone with its directories.
      else if (this.alive) {
        this.#refused = refusedFor(error);
        this.#kill(error.message);
      }
    }
  }

  async #bytesFor(ask: Ask): Promise<Given> {
    if (ask.type === 'fetch-stage-file')
      return { path: await this.#stageBytes.fetch(ask.stage, ask.hash, ask.isDamaged) };
    // A processor may leave work behind when its job has ended.
    if (ask.job !== this.#job?.number) throw new Error('its request has ended');
    if (ask.type === 'fetch') return { path: await this.#job.fetch(ask.hash) };
    return { reference: await this.#job.store(ask.id) };
  }

  #checked(answer: Extract<FromHost, { type: 'done' }>, bytes: JobBytes): FromHost | undefined {
    try {
      return { ...answer, files: bytes.checked(answer.files) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#refused = refusedFor(error);
      this.#kill(error.message);
      return undefined;
    }
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

function refusedFor({ message }: Refusal): string {
  return `the processor's process was ended: ${message}`;
}

function describeExit(code: number | null, signal: string | null): string {
  const killedBy = signalOf(code, signal);
  return killedBy === undefined ? `exit code ${code}` : `killed by ${killedBy}`;
}
