import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const program = join(import.meta.dirname, '..', '..', 'bin', 'pismak');

/** `pismak worker run` as on a machine of its own (`through` names one): it is told the coordination and nothing else. */
export class WorkerElsewhere {
  readonly #child: ChildProcess;
  output = '';

  constructor(
    directory: string,
    coordination: string,
    id: string,
    through: readonly string[] = [],
    options: readonly string[] = [],
  ) {
    const parameters = ['worker', 'run', '--id', id, '--data', directory, ...options];
    const [command = program, ...before] = [...through, program];
    this.#child = spawn(command, [...before, ...parameters], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Not an option: a command line is for all to read.
      env: { ...process.env, PISMAK_COORDINATION: coordination },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-20_000);
      });
    }
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  /** SIGTERM and SIGINT drain, SIGKILL doesn't ask. */
  async end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
  }
}
