import { CommanderError } from 'commander';
import { describeError, EndsWith, exitCodeOf, exitCodes } from '../terminal/exit-codes.ts';
import type { Surroundings } from '../terminal/session.ts';
import { createProgram } from './program.ts';

/** Runs the command line, prints any error, and resolves to the exit code. */
export async function runProgram(surroundings: Surroundings, words: readonly string[]): Promise<number> {
  try {
    const program = await createProgram(surroundings, words);
    await program.parseAsync(words, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    // Commander has already printed the error. Its exit code for wrong usage is 1, ours is 2.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    if (error instanceof EndsWith) return error.exitCode;
    const debug = surroundings.environment.PISMAK_DEBUG !== undefined;
    surroundings.stderr.write(`${describeError(error, debug)}\n`);
    return exitCodeOf(error);
  }
}
