import type { Cut } from './image-request.ts';

/** What the process that cuts images is asked. */
export interface CutQuestion {
  /** Of the image, by which the process remembers it. */
  hash: string;
  /** The file with the image; without it, only a remembered image will do. */
  path?: string;
  cut: Cut;
}

export type CutAnswer = { jpeg: Uint8Array } | { isUnknown: true };
