import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../../src/engine/testing/eventually.ts';

/** A fenced block of commands in a page. */
export interface ShellBlock {
  /** What stands behind ```sh: `test`, `test background`, `test stop`, `untested`. */
  marks: readonly string[];
  text: string;
  line: number;
}

/** Blocks may be indented, as in lists. */
export function shellBlocks(page: string): ShellBlock[] {
  return [...page.matchAll(/^( *)```sh(.*)\n([\s\S]*?)^\1```$/gm)].map((match) => {
    const [, indent = '', marks = '', text = ''] = match;
    return {
      marks: marks.trim().split(' '),
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: page.slice(0, match.index).split('\n').length,
    };
  });
}

const startMs = 120_000;

/**
 * Runs the blocks marked `test` one after another, as a person would type them. One that is also marked `background` goes
 * on after it has said that it is ready, until a block marked `stop`, or the end.
 */
export async function runBlocks(
  blocks: readonly ShellBlock[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<void> {
  const running: Running[] = [];
  try {
    for (const block of blocks.filter(({ marks }) => marks.includes('test'))) {
      if (block.marks.includes('stop')) await stopAll(running);
      const started = start(block, options);
      if (block.marks.includes('background')) {
        running.push(started);
        await eventually(`line ${block.line} is ready`, () => started.isReady(), startMs);
      } else if ((await started.ended) !== 0) throw started.failure();
    }
  } finally {
    await stopAll(running);
  }
}

interface Running {
  child: ChildProcess;
  ended: Promise<number | null>;
  isReady(): boolean;
  failure(): Error;
}

function start({ text, line }: ShellBlock, options: { cwd: string; env: NodeJS.ProcessEnv }): Running {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', text], {
    ...options,
    // A group of its own: a signal reaches the commands and not just the shell.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      output = (output + piece).slice(-5000);
    });
  }
  const failure = () => new Error(`the commands of line ${line} failed:\n${text}\n${output}`);
  return {
    child,
    ended: once(child, 'close').then(() => child.exitCode),
    isReady() {
      if (child.exitCode !== null) throw failure();
      return /Pismak is ready at|worker \S+ runs/.test(output);
    },
    failure,
  };
}

async function stopAll(running: Running[]): Promise<void> {
  await Promise.all(
    running.splice(0).map(async ({ child, ended }) => {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      await ended;
    }),
  );
}
