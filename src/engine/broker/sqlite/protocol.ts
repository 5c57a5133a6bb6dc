import type { Arguments, CommandName } from './commands.ts';
import type { FileState } from './queue-commands.ts';

/** Messages from the broker to the broker thread. */
export type ToThread = { batch: Batch } | { snapshot: string } | { close: true };

/** Commands that share a transaction; `bodies` holds the bodies of new messages, one after the other. */
export interface Batch {
  calls: Call[];
  bodies: Uint8Array<ArrayBuffer>;
}
export type Call = [command: CommandName, parameters: readonly unknown[], bodyLength?: number];

/** The parameters of an insert without the body. */
export type NewMessage = Arguments<'insert'> extends [...infer Rest, Uint8Array] ? Rest : never;

/** Messages from the broker thread. Batches are answered in order. */
export type FromThread =
  | { opened: FileState }
  | { values: unknown[]; problems: [index: number, problem: Problem][] }
  | { snapshot: Problem | null };

/** An error of SQLite, in a form that crosses threads. */
export interface Problem {
  message: string;
  /** SQLite's result code. */
  errcode: number | undefined;
}

export function problemOf(error: unknown): Problem {
  const { message, errcode } = error as { message?: unknown; errcode?: unknown };
  return { message: String(message ?? error), errcode: typeof errcode === 'number' ? errcode : undefined };
}
