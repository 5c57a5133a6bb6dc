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

/** Declares a stream operation; `open` gets the type of its schema. */
export function defineStream<Input extends z.ZodType>(
  stream: StreamOperation<Input>,
): StreamOperation<Input> {
  return stream;
}

/** The only way to open a stream. Checks the caller first, then the input, then the owner of the thing. */
export async function openStream(
  engine: Engine,
  stream: StreamOperation,
  caller: Caller | undefined,
  rawInput: unknown,
  signal: AbortSignal,
  { address = caller?.address ?? '', url }: { address?: string; url?: string } = {},
): Promise<ByteStream> {
  return engine.busyWatch.during(stream.name, () =>
    open(engine, stream, caller, rawInput, signal, { address, ...(url !== undefined && { url }) }),
  );
}

async function open(
  engine: Engine,
  stream: StreamOperation,
  caller: Caller | undefined,
  rawInput: unknown,
  signal: AbortSignal,
  { address, url }: { address: string; url?: string },
): Promise<ByteStream> {
  const context = {
    engine,
    caller: authorise(stream, caller, address),
    signal,
    ...(url !== undefined && { url }),
  };
  const input = await checkInput(stream, rawInput);
  await checkOwner(stream, context, input);
  const foreignOwner = await findForeignOwner(stream, context, input);
  const opened = await openInTurn(engine, stream, { owner: context.caller.name, signal }, () =>
    stream.open(context, input),
  );
  // A stream that failed to open showed nothing.
  await auditCall(engine, { operation: stream, caller, address, rawInput, outcome: 'ok', foreignOwner });
  return opened;
}
