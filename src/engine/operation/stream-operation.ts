import type { z } from 'zod';
import type { Engine } from '../engine.ts';
import { authorise } from './authorise.ts';
import { checkInput, checkOwner } from './execute-operation.ts';
import type { Caller, Operation, OperationContext } from './operation.ts';

/** A reading operation whose answer is bytes, perhaps many: GET with the input in the query, like the others. */
export interface StreamOperation<Input extends z.ZodType = z.ZodType>
  extends Pick<Operation<Input>, 'name' | 'summary' | 'owner' | 'input' | 'example'> {
  role: 'reader' | 'user' | 'admin';
  open(context: OperationContext, input: z.output<Input>): Promise<ByteStream>;
}

/** What a stream operation answers with. */
export interface ByteStream {
  content: AsyncIterable<Uint8Array>;
  /** In bytes, if known in advance. */
  size?: number;
  /** Media type. */
  type: string;
  /** Suggested file name; not safe as a path. */
  fileName: string;
}

/** Declares a stream operation; `open` gets the type of its schema. */
export function defineStream<Input extends z.ZodType>(
  stream: StreamOperation<Input>,
): StreamOperation<Input> {
  return stream;
}

/** The only way to open one: checks the caller first, then the input, then the owner. */
export async function openStream(
  engine: Engine,
  stream: StreamOperation,
  caller: Caller | undefined,
  rawInput: unknown,
  signal: AbortSignal,
  address: string = caller?.address ?? '',
): Promise<ByteStream> {
  const context = { engine, caller: authorise(stream, caller, address), signal };
  const input = await checkInput(stream, rawInput);
  await checkOwner(stream, context, input);
  return stream.open(context, input);
}
