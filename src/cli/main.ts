import { systemClock } from '../engine/time/clock.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import type { Surroundings } from '../terminal/session.ts';
import { runProgram } from './run-program.ts';

/** Ctrl-C lets the command finish cleanly; a second one ends it at once. */
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    if (interruption.signal.aborted) process.exit(exitCodes.interrupted);
    interruption.abort();
  });
}
// Whoever reads us has seen enough: `pismak event ls | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failed);
});

const surroundings: Surroundings = {
  stdout: process.stdout,
  stderr: process.stderr,
  environment: process.env,
  clock: systemClock,
  signal: interruption.signal,
  async openClient(options) {
    const { openClient } = await import('./client/open-client.ts');
    return openClient({ ...options, clock: systemClock, signal: interruption.signal });
  },
  async openWork({ settings, ...options }) {
    const { openEmbeddedWork } = await import('./client/embedded-work.ts');
    return openEmbeddedWork(settings, { ...options, signal: interruption.signal });
  },
  async loadSettings(commandLine) {
    const { loadSettings } = await import('../engine/settings/load.ts');
    return loadSettings({ commandLine });
  },
};

// Our timers don't keep the process alive, and while a command waits nothing else may.
const alive = setInterval(() => {}, 2 ** 30);
process.exitCode = await runProgram(surroundings, process.argv.slice(2));
clearInterval(alive);
