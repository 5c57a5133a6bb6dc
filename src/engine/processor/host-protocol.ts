import type { BlobReference } from '../blobs/blobs.ts';

/** What the worker and the process of a processor say to each other. One process serves one version of one stage. */
export type ToHost =
  | {
      type: 'load';
      module: string;
      blobs: string;
      cache: string;
      stage: string;
      version: number;
      config: string;
      files: { name: string; hash: string }[];
    }
  | { type: 'process'; uuid: string; attempt: number; files: WireFile[] }
  | { type: 'abort' };

export type FromHost =
  | { type: 'loaded' }
  | { type: 'not-loaded'; reason: string }
  | { type: 'log'; line: string }
  | { type: 'done'; files: (WireFile | { unchanged: string })[]; rssBytes: number }
  | { type: 'failed'; reason: string; permanent: boolean; rssBytes: number };

/** Large contents go through Blobs on either side, never through the pipe. */
export type WireFile = { name: string; content: Uint8Array } | { name: string; blob: BlobReference };
