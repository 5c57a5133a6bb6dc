import type { z } from 'zod';
import type { Engine } from '../composition/engine.ts';
import type { Caller, Role } from '../ground/caller.ts';

/** What a handler works with. */
export interface OperationContext {
  engine: Engine;
  caller: Caller;
  /** Aborts when the caller leaves or the time is up. */
  signal: AbortSignal;
  /** The URL at which the caller reached the server, without a trailing slash; undefined on the command line, and in plain operations. */
  url?: string;
}

/**
 * One thing that callers can do. One declaration gives the API route, the OpenAPI entry, the command and the audit record;
 * permissions declared here are checked before the handler runs.
 */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  /** `stage.create`: the noun, a dot, the verb. */
  name: string;
  /** Its names in the previous version: still accepted as routes and as scopes of keys, but shown nowhere. */
  formerNames?: readonly string[];
  summary: string;
  /** `public` needs no sign-in at all. */
  role: Role | 'public';
  /**
   * The owner of the thing. `none`: it belongs to the installation. `caller`: the handler itself touches and lists only what
   * `mayTouch` allows. A function: returns the owner of the thing that the input names (undefined = no such thing); everyone
   * except the owner and administrators gets `not-found`, as if it did not exist.
   */
  owner:
    | 'none'
    | 'caller'
    | ((context: OperationContext, input: z.output<Input>) => Promise<string | undefined>);
  /**
   * Declare it if the cost grows with what users have or ask for. `read`: its queries run on a separate connection
   * (`Database.read`), so that a long one delays nobody. `work`: it waits for a turn; few run at once, and fewer per user.
   */
  heavy?: 'read' | 'work';
  /** The caller gets an error after this time; default: 30 s. A handler with a loop must check `signal`. */
  deadlineMs?: number;
  /** Whether it changes something: then it is POST and audited. Otherwise it is GET with the input in the query. */
  changes: boolean;
  /** Whether it stores more than a few rows: then it is refused with `disk-full` while the disk is nearly full. */
  stores?: true;
  /**
   * Changes are audited unless this is false: for the few that are called a million times a day and leave traces elsewhere.
   * Reads by an administrator are audited if `owner` is a function and the thing belongs to another user; true audits every
   * read by an administrator, for lists that show what belongs to users.
   */
  audited?: boolean;
  input: Input;
  output: Output;
  /** A valid input, shown in the documentation and used by generated tests. */
  example: z.input<Input>;
  /**
   * Maximum size of a call's JSON in bytes: 1 MB by default, and 16 KB if anybody may call it. Declare more only if the input
   * needs it: parsing blocks the process, 1 MB of it for up to 20 ms.
   */
  bodyLimit?: number;
  /** Input fields that must never be logged. */
  secrets?: readonly string[];
  handler(context: OperationContext, input: z.output<Input>): Promise<z.output<Output>>;
}

/** Declares an operation; its handler gets the types from its schemas. */
export function defineOperation<Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return operation;
}

/** The names it answers to. */
export function namesOf({ name, formerNames = [] }: Pick<Operation, 'name' | 'formerNames'>): string[] {
  return [name, ...formerNames];
}
