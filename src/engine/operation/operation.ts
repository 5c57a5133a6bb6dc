import type { z } from 'zod';
import type { Caller, Role } from '../caller.ts';
import type { Engine } from '../engine.ts';

/** What a handler works with. */
export interface OperationContext {
  engine: Engine;
  caller: Caller;
  /** Aborts when the caller is gone, or the time is up. */
  signal: AbortSignal;
  /** Where the caller reached the server, without a slash at the end; undefined on the command line, and in plain operations. */
  url?: string;
}

/**
 * One thing that can be done. One declaration gives the API route, the OpenAPI entry, the command and the audit record;
 * permissions declared here are checked before the handler runs.
 */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  /** `stage.create`: the noun, a dot, the verb. */
  name: string;
  /** Its names in the version before: as routes and as scopes of keys they still work, but nothing shows them. */
  formerNames?: readonly string[];
  summary: string;
  /** `public` needs no sign-in at all. */
  role: Role | 'public';
  /**
   * The owner of the thing. `none`: it belongs to the installation. `caller`: the handler only ever touches or lists what
   * `mayTouch` allows. A function: returns the owner of the thing that the input names (undefined = no such thing); anyone
   * but the owner and administrators gets `not-found`, as if it did not exist.
   */
  owner:
    | 'none'
    | 'caller'
    | ((context: OperationContext, input: z.output<Input>) => Promise<string | undefined>);
  /**
   * Declare it if its cost grows with what users have or ask for. `read`: its queries run on a connection of their own
   * (`Database.read`), so that a long one delays nobody. `work`: it takes a turn; few run at once, and fewer of one user.
   */
  heavy?: 'read' | 'work';
  /** The caller gets an error after this time; default: 30 s. A handler with a loop looks at `signal`. */
  deadlineMs?: number;
  /** Changes something: POST and audited. Otherwise GET with the input in the query. */
  changes: boolean;
  /** Stores more than a few rows: refused with `disk-full` while the disk is nearly full. */
  stores?: true;
  /**
   * Changes are audited unless this is false: for the few that are called a million times a day and leave traces elsewhere.
   * What an administrator reads of another's thing is audited if `owner` is a function; true audits every read by an
   * administrator, for lists that show what belongs to users.
   */
  audited?: boolean;
  input: Input;
  output: Output;
  /** A valid input, shown in the documentation and used by the generated tests. */
  example: z.input<Input>;
  /**
   * Bytes of JSON that a call may send; 1 MB by default, and 16 KB if anybody may call it. Declare more only if the input
   * needs it: parsing blocks the process, 1 MB of it for up to 20 ms.
   */
  bodyLimit?: number;
  /** Names of input fields that must never be logged. */
  secrets?: readonly string[];
  handler(context: OperationContext, input: z.output<Input>): Promise<z.output<Output>>;
}

/** Declares an operation; its handler gets the types of its schemas. */
export function defineOperation<Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return operation;
}

/** What it answers to. */
export function namesOf({ name, formerNames = [] }: Pick<Operation, 'name' | 'formerNames'>): string[] {
  return [name, ...formerNames];
}
