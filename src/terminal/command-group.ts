import type { Command } from 'commander';
import type { Shell } from './shell.ts';

/** Adds the commands of a group: subcommands, or its own arguments and action. */
export type AddGroup = (group: Command, shell: Shell) => void;

/** For options that may be repeated. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
