import type { z } from 'zod';
import type { Engine } from '../composition/engine.ts';
import type { Caller } from '../ground/caller.ts';
import { authorise } from './authorise.ts';
import { auditCall, checkInput, checkOwner, findForeignOwner } from './execute-operation.ts';
import type { Operation, OperationContext } from './operation.ts';
import { openInTurn } from './stream-turns.ts';

/** A read operation that answers with a stream of bytes: GET with the input in the query, like other reads. */
export interface StreamOperation<Input extends z.ZodType = z.ZodType>
  extends Pick<
    Operation<Input>,
    'name' | 'formerNames' | 'summary' | 'owner' | 'audited' | 'input' | 'example'
  > {
  role: 'reader' | 'user' | 'admin';
  /** Producing its bytes costs more than reading them, so fewer run at once. */
  heavy?: true;
  /**
   * Additional addresses, for viewers that follow a standard; parameters are fields of the input. They start with the house's
   * name: `/transcription/iiif/:document/manifest`. Pages of other sites may read them with a key, never with a cookie.
   */
  paths?: readonly string[];
  /**
   * Names the bytes that `open` would answer with; undefined if that is unknown or there are none. A caller that has the bytes of this
   * version is told that they are unchanged, and nothing is opened.
   */
  version?(context: OperationContext, input: z.output<Input>): Promise<string | undefined>;
  open(context: OperationContext, input: z.output<Input>): Promise<ByteStream>;
}

/** The answer of a stream operation. */
export interface ByteStream {
  content: AsyncIterable<Uint8Array>;
  /** In bytes, if known in advance. */
  size?: number;
  /** Media type. */
  type: string;
  /** A suggested file name; not safe as a path. */
  fileName: string;
}

export interface OpenedStream {
  /** Undefined if the caller has the bytes already. */
  stream: ByteStream | undefined;
  version: string | undefined;
}

/** Declares a stream operation; `open` gets the type of its schema. */
export function defineStream<Input extends z.ZodType>(
  stream: StreamOperation<Input>,
): StreamOperation<Input> {
  return stream;
}

interface CallDetails {
  address?: string;
  url?: string;
  /** Whether the caller has the bytes of this version. */
  has?: (version: string) => boolean;
}

/** The only way to open a stream. Checks the caller first, then the input, then the owner of the thing. */
export async function openStream(
  engine: Engine,
  stream: StreamOperation,
  caller: Caller | undefined,
  rawInput: unknown,
  signal: AbortSignal,
  details: CallDetails = {},
): Promise<OpenedStream> {
  return engine.busyWatch.during(stream.name, () => open(engine, stream, caller, rawInput, signal, details));
}

async function open(
  engine: Engine,
  stream: StreamOperation,
  caller: Caller | undefined,
  rawInput: unknown,
  signal: AbortSignal,
  { address = caller?.address ?? '', url, has = () => false }: CallDetails,
): Promise<OpenedStream> {
  const context = {
    engine,
    caller: authorise(stream, caller, address),
    signal,
    ...(url !== undefined && { url }),
  };
  const input = await checkInput(stream, rawInput);
  await checkOwner(stream, context, input);
  const foreignOwner = await findForeignOwner(stream, context, input);
  const version = await stream.version?.(context, input);
  const isKnown = version !== undefined && has(version);
  const opened = isKnown
    ? undefined
    : await openInTurn(engine, stream, { owner: context.caller.name, signal }, () =>
        stream.open(context, input),
      );
  // A stream that failed to open showed nothing.
  await auditCall(engine, { operation: stream, caller, address, rawInput, outcome: 'ok', foreignOwner });
  return { stream: opened, version };
}
