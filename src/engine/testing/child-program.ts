import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isAbsolute } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

/** A program in its own process, for tests in which processes die. */
export interface ChildProgram {
  readonly pid: number;
  /** The next line that it prints; fails when it has ended. */
  line(): Promise<string>;
  /** Everything that it still prints, until it ends. */
  rest(): Promise<string[]>;
  send(line: string): void;
  kill(signal?: NodeJS.Signals): Promise<void>;
  readonly ended: Promise<void>;
}

/** Starts `testing/programs/NAME.ts` (or the program at an absolute path), under `through` (`strace -f`) if given. Killed at the end of the test. */
export function startProgram(
  test: Pick<TestContext, 'after'>,
  name: string,
  args: string[] = [],
  through: string[] = [],
): ChildProgram {
  const program = isAbsolute(name) ? name : fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url));
  const [command = process.execPath, ...before] = [...through, process.execPath];
  const child = spawn(command, [...before, program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(() => {});
  const kill = (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal);
    return ended;
  };
  test.after(() => kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? -1,
    async line() {
      const next = await lines.next();
      if (next.done) throw new Error(`${name} has ended`);
      return next.value;
    },
    async rest() {
      const all: string[] = [];
      for (let next = await lines.next(); !next.done; next = await lines.next()) all.push(next.value);
      return all;
    },
    send: (line) => child.stdin.write(`${line}\n`),
    kill,
    ended,
  };
}
