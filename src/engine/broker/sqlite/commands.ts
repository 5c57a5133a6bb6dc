import type { DatabaseSync } from 'node:sqlite';
import { deadLetterCommands } from './dead-letter-commands.ts';
import { lookCommands } from './look-commands.ts';
import { messageCommands } from './message-commands.ts';
import { queueCommands } from './queue-commands.ts';

/**
 * Everything that can be asked of the owner thread: the SQL, prepared once. A command is a part of a transaction that it
 * shares with others.
 */
export function prepareCommands(db: DatabaseSync) {
  return { ...messageCommands(db), ...queueCommands(db), ...lookCommands(db), ...deadLetterCommands(db) };
}

export type Commands = ReturnType<typeof prepareCommands>;
export type CommandName = keyof Commands;
export type Arguments<Name extends CommandName> = Parameters<Commands[Name]>;
export type Result<Name extends CommandName> = ReturnType<Commands[Name]>;
