import type { BlobReference } from '../blobs/blobs.ts';

/** A version of a stage: what a process loads and what a request uses. */
export interface StageVersion {
  name: string;
  version: number;
}

/** Messages between a worker and a processor process. A process loads several stages and serves them in turn. */
export type ToHost =
  /** The process is the spare one, so it has time to load what nearly every processor needs. */
  | { type: 'warm' }
  | ({ type: 'load' } & StageLoad)
  | { type: 'unload'; stage: StageVersion }
  | { type: 'process'; job: number; stage: StageVersion; uuid: string; attempt: number; files: WireFile[] }
  | { type: 'abort' }
  | ({ type: 'given'; id: number } & Given)
  | { type: 'denied'; id: number; reason: string };

/** Where the bytes are that a process asked for, or what its new bytes are called. */
export type Given = { path: string } | { reference: BlobReference };

/**
 * A process has no access to blobs. It asks for the content of a file of its job or stage, and gets the path of a file that it can only
 * read. For a new content, it leaves a file in its own /tmp, with the name `outputName(id)`.
 */
export type Ask = { id: number } & (
  | { type: 'fetch'; job: number; hash: string }
  | { type: 'fetch-stage-file'; stage: StageVersion; hash: string; isDamaged: boolean }
  | { type: 'store'; job: number }
);

export function outputName(id: number): string {
  return `pismak-output-${id}`;
}

export interface StageLoad {
  stage: StageVersion;
  module: string;
  config: string;
  files: { name: string; hash: string }[];
  /** Programs that it may run. */
  commands: readonly string[];
}

export type FromHost =
  | { type: 'ready'; rssBytes: number }
  /** It has received an order: nothing that ran before blocks it. */
  | { type: 'begun' }
  | { type: 'loaded'; rssBytes: number }
  | { type: 'not-loaded'; reason: string }
  | { type: 'log'; line: string }
  | Ask
  | { type: 'done'; files: (WireFile | { unchanged: string })[]; rssBytes: number }
  | { type: 'failed'; reason: string; permanent: boolean; wrongWorker: boolean; rssBytes: number };

/** Large contents never go through the pipe. */
export type WireFile = { name: string; content: Uint8Array } | { name: string; blob: BlobReference };

export function stageKey({ name, version }: StageVersion): string {
  return `${name} ${version}`;
}
