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
  | { type: 'process'; stage: StageVersion; uuid: string; attempt: number; files: WireFile[] }
  | { type: 'abort' };

export interface StageLoad {
  stage: StageVersion;
  module: string;
  blobs: string;
  cache: string;
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
  | { type: 'done'; files: (WireFile | { unchanged: string })[]; rssBytes: number }
  | { type: 'failed'; reason: string; permanent: boolean; wrongWorker: boolean; rssBytes: number };

/** Large contents go through Blobs on either side, never through the pipe. */
export type WireFile = { name: string; content: Uint8Array } | { name: string; blob: BlobReference };

export function stageKey({ name, version }: StageVersion): string {
  return `${name} ${version}`;
}
