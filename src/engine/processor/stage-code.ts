import type { Blobs } from '../blobs/blobs.ts';
import type { Stage } from '../stage/stage.ts';

/** What is needed to load a stage in a process, and to serve it there. Blobs and the cache stay on this side. */
export interface StageCode {
  stage: Stage;
  module: string;
  blobs: Blobs;
  /** The directory of this machine's copies of the files of stages. */
  cache: string;
  /** Programs that the stage may run (setting `command.allow`); none by default. */
  commands?: readonly string[];
  /** Whether it may use the network, where that can be cut off; true by default. */
  network?: boolean;
  /** The largest file that it may make: 4 GB by default. */
  largestFileBytes?: number;
}
