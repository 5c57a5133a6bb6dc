import type { BatchPlan, ScoutPlan } from '../batch/plan.ts';
import type { CrawlDefinition } from '../crawl/options.ts';
import type { PartName, Scan } from '../segments/segment-buffer.ts';

/** Messages to a harvester's thread. */
export type ToThread =
  | {
      kind: 'harvest';
      batch: string;
      crawl: number;
      /** The crawl's id: the number of a deleted crawl may be given to another. */
      id: string;
      options: CrawlDefinition;
      /** The whole batch, or this thread's share of it. */
      plan: BatchPlan;
      over: SharedArrayBuffer;
      notAfter: number;
    }
  | { kind: 'scout'; batch: string; crawl: number; options: CrawlDefinition; plan: ScoutPlan }
  /** A report is stored; requests of the batch may begin until `notAfter`. */
  | { kind: 'stored'; batch: string; isReport: boolean; notAfter: number }
  /** The batch is no longer ours: its reports are not stored. */
  | { kind: 'refused'; batch: string }
  /** Finish what is under way and report it. */
  | { kind: 'stop'; batch: string };

/** Messages from it. */
export type FromThread = ThreadReport | ThreadLoad;

/** How busy a thread is; sent once a second. */
export interface ThreadLoad {
  kind: 'load';
  /** The share of the last second that it was busy. */
  utilization: number;
  /** Requests under way. */
  inFlight: number;
  /** Segmenters that do not answer. */
  problems: { crawl: number; problem: string }[];
  /** Crawls whose files took too long lately. */
  slow: number[];
}

export interface ThreadReport {
  kind: 'report';
  batch: string;
  /** The thread has done its share of the batch. */
  ended: boolean;
  /** The rest of the report as the JSON that is stored. Made in this thread to spare the main thread the work. */
  report: string;
  /** The segment; empty if there is nothing to store. */
  content: Uint8Array;
  parts: { name: PartName; length: number }[];
  pages: number;
  scans: Scan[];
}
