import type { z } from 'zod';
import type { Operation } from '../../engine/operation/operation.ts';
import type { StreamOperation } from '../../engine/operation/stream-operation.ts';

/**
 * Runs operations for commands: in the process that uses the data directory, in this process if there is none, or on
 * another machine. Commands don't know which.
 */
export interface Client {
  /**
   * Calls an operation. The server has checked the answer against its own declaration; it may be newer, and then the answer
   * may have fields that this version does not know.
   */
  call<Input extends z.ZodType, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
    options?: CallOptions,
  ): Promise<z.output<Output>>;
  /** Stores bytes too large to travel inside a call. */
  upload(content: AsyncIterable<Uint8Array>): Promise<{ hash: string; size: number }>;
  /** Sends the next part of an upload (`upload.create`). A `conflict` says at which offset to continue. */
  uploadPart(upload: string, offset: number, content: Uint8Array): Promise<{ offset: number }>;
  /** The bytes that a streaming operation answers with, such as `document.file`. */
  stream<Input extends z.ZodType>(
    operation: StreamOperation<Input>,
    input: z.input<Input>,
  ): AsyncIterable<Uint8Array>;
  /** A large file of a taken result. */
  download(receipt: string, hash: string): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
  /** True if operations run in this process because no other process runs: no worker processes new requests then. */
  readonly alone?: boolean;
}

export interface CallOptions {
  /** Runs the call even after Ctrl-C, to clean up. */
  afterInterruption?: boolean;
}

/** The server or data directory that the user chose. */
export interface Destination {
  url?: string | undefined;
  key?: string | undefined;
}
