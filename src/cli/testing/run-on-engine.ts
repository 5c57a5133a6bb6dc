import type { Engine } from '../../engine/composition/engine.ts';
import { engineClient } from '../client/engine-client.ts';
import { runCommand } from './run-command.ts';

/** Runs `pismak WORDS` on an engine of this process, which starts once instead of once for each command. */
export function runOnEngine(
  engine: Engine,
  words: readonly string[],
  directory: string,
): ReturnType<typeof runCommand> {
  const client = engineClient(engine, new AbortController().signal);
  return runCommand(words, { client, directory, environment: { PISMAK_DATA: directory } });
}
