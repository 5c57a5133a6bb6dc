import type { z } from 'zod';
import type { Operation } from '../../engine/operation/operation.ts';
import type { StreamOperation } from '../../engine/operation/stream-operation.ts';

/**
 * How commands get things done: through the process that has the data directory, in this process when nobody has it, or
 * on another machine. Commands don't know which.
 */
export interface Client {
  /** Calls an operation. Whoever runs it has checked the answer against its declaration. */
  call<Input extends z.ZodType, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
    options?: CallOptions,
  ): Promise<z.output<Output>>;
  /** Stores bytes too large to travel inside a call. */
  upload(content: AsyncIterable<Uint8Array>): Promise<{ hash: string; size: number }>;
  /** The next part of an upload (`upload.create`); `conflict` tells where to go on. */
  uploadPart(upload: string, offset: number, content: Uint8Array): Promise<{ offset: number }>;
  /** The bytes that a streaming operation answers with, such as `document.file`. */
  stream<Input extends z.ZodType>(
    operation: StreamOperation<Input>,
    input: z.input<Input>,
  ): AsyncIterable<Uint8Array>;
  /** A large file of a result that was taken. */
  download(receipt: string, hash: string): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
  /** Acts in this process, because none runs: nobody works on what is sent. */
  readonly alone?: boolean;
}

export interface CallOptions {
  /** Goes through even when the user has pressed Ctrl-C: for leaving things in order. */
  afterInterruption?: boolean;
}

/** What the user said about where to go. */
export interface Destination {
  url?: string | undefined;
  key?: string | undefined;
}
