import type { Cut } from './image-request.ts';

/** A question to the process that cuts images. Unless it comes with the bytes of the image, only a cached image can be cut. */
export interface CutQuestion {
  /** Identifies the image in the cache of the process. */
  hash: string;
  cut: Cut;
}

export type CutAnswer = { jpeg: Uint8Array } | { isUnknown: true };
