import type { DatabaseSync } from 'node:sqlite';
import { browseCommands } from './browse-commands.ts';
import { deadLetterCommands } from './dead-letter-commands.ts';
import { messageCommands } from './message-commands.ts';
import { queueCommands } from './queue-commands.ts';

/**
 * All commands of the broker thread, with their SQL prepared once. A command shares its transaction with others.
 */
export function prepareCommands(db: DatabaseSync) {
  return { ...messageCommands(db), ...queueCommands(db), ...browseCommands(db), ...deadLetterCommands(db) };
}

export type Commands = ReturnType<typeof prepareCommands>;
export type CommandName = keyof Commands;
export type Arguments<Name extends CommandName> = Parameters<Commands[Name]>;
export type Result<Name extends CommandName> = ReturnType<Commands[Name]>;
