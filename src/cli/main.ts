import type { House } from '../engine/house.ts';
import { systemClock } from '../engine/time/clock.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import type { Surroundings } from '../terminal/session.ts';
import { runProgram } from './run-program.ts';

/** Runs the command line with these houses on the arguments and streams of this process. */
export async function main(houses: readonly House[]): Promise<void> {
  const { signal } = interruption();
  // The reader has closed the pipe: `pismak event ls | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failed);
  });
  const surroundings: Surroundings = {
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    clock: systemClock,
    signal,
    houses,
    async openClient(options) {
      const { openClient } = await import('./client/open-client.ts');
      return openClient({ ...options, clock: systemClock, houses, signal });
    },
    async openWork({ settings, ...options }) {
      const { openEmbeddedWork } = await import('./client/embedded-work.ts');
      return openEmbeddedWork(settings, { ...options, houses, signal });
    },
    async loadSettings(commandLine) {
      const { loadSettings } = await import('../engine/settings/load.ts');
      return loadSettings({ commandLine, houses });
    },
  };
  // Our timers don't keep the process alive, and a waiting command may have nothing else that does.
  const alive = setInterval(() => {}, 2 ** 30);
  process.exitCode = await runProgram(surroundings, process.argv.slice(2));
  clearInterval(alive);
}

/** Ctrl-C lets the command finish cleanly; a second one ends it at once. */
function interruption(): AbortController {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(exitCodes.interrupted);
      controller.abort();
    });
  }
  return controller;
}
