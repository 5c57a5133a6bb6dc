import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BrokerSetup } from './scene.ts';

const program = fileURLToPath(new URL('./broker-program.ts', import.meta.url));

/** The modes of `broker-program.ts`. */
export type ProcessMode = 'publish' | 'consume' | 'hold' | 'fill' | 'redrive';

/** A process that uses the store, reports its progress line by line, and can be killed at any moment. */
export class BrokerProcess {
  readonly lines: string[] = [];
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<unknown>;
  #errors = '';
  #waiting: { count: number; resolve: () => void }[] = [];

  constructor(
    setup: BrokerSetup['process'],
    mode: ProcessMode,
    parameters: readonly string[],
    under: string[] = [],
  ) {
    const { module, factory, options } = setup;
    // Bound the nursery: otherwise V8 keeps more and more empty pages, and the resident size says nothing.
    const node = [process.execPath, '--expose-gc', '--max-semi-space-size=8'];
    const all = [
      ...under,
      ...node,
      program,
      module.href,
      factory,
      JSON.stringify(options),
      mode,
      ...parameters,
    ];
    this.#child = spawn(all[0] ?? '', all.slice(1), { stdio: 'pipe' });
    this.#exited = once(this.#child, 'close');
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#errors += chunk;
    });
    createInterface(this.#child.stdout).on('line', (line) => this.#heard(line));
  }

  /** Resolves when it has printed `count` lines. Fails if it ends first. */
  async said(count: number): Promise<string[]> {
    const enough = new Promise<void>((resolve) => {
      this.#waiting.push({ count, resolve });
      this.#check();
    });
    await Promise.race([enough, this.#exited]);
    if (this.lines.length < count)
      throw new Error(`it ended after ${this.lines.length} lines: ${this.#errors}`);
    return this.lines;
  }

  /** Sends kill -9. Resolves when the process is gone and all its output has been read. */
  async kill(): Promise<string[]> {
    this.#child.kill('SIGKILL');
    await this.#exited;
    return this.lines;
  }

  /** Waits for the process to exit by itself. */
  async finished(): Promise<string[]> {
    await this.#exited;
    if (this.#child.exitCode !== 0) throw new Error(`it failed: ${this.#errors}`);
    return this.lines;
  }

  #heard(line: string): void {
    this.lines.push(line);
    this.#check();
  }

  #check(): void {
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (this.lines.length < count) return true;
      resolve();
      return false;
    });
  }
}
