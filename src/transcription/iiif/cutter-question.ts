import type { Cut } from './image-request.ts';

/** A question to the process that cuts images. */
export interface CutQuestion {
  /** Identifies the image in the cache of the process. */
  hash: string;
  /** The file with the image. Without it, only a cached image can be cut. */
  path?: string;
  cut: Cut;
}

export type CutAnswer = { jpeg: Uint8Array } | { isUnknown: true };
