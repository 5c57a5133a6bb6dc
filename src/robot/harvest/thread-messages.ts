import type { BatchPlan, ScoutPlan } from '../batch/plan.ts';
import type { CrawlDefinition } from '../crawl/options.ts';
import type { PartName, Scan } from '../segments/segment-buffer.ts';

/** What a harvester's thread is told. */
export type ToThread =
  | {
      kind: 'harvest';
      batch: string;
      crawl: number;
      /** Its id: when a crawl is deleted, its number may be given to another one. */
      id: string;
      options: CrawlDefinition;
      /** All of it, or a share of a batch that several threads carry out. */
      plan: BatchPlan;
      over: SharedArrayBuffer;
      notAfter: number;
    }
  | { kind: 'scout'; batch: string; crawl: number; options: CrawlDefinition; plan: ScoutPlan }
  /** A report is stored; the batch may go on until then. */
  | { kind: 'stored'; batch: string; isReport: boolean; notAfter: number }
  /** The batch is no longer ours: what was reported of it is not stored. */
  | { kind: 'refused'; batch: string }
  /** Finish what is under way and report it. */
  | { kind: 'stop'; batch: string };

/** What it tells. */
export type FromThread = ThreadReport | ThreadLoad;

/** How much a thread has to do, once a second. */
export interface ThreadLoad {
  kind: 'load';
  /** The share of the last second that it was busy. */
  utilization: number;
  /** Requests under way. */
  inFlight: number;
  /** Segmenters that do not answer. */
  problems: { crawl: number; problem: string }[];
}

export interface ThreadReport {
  kind: 'report';
  batch: string;
  /** The thread has done its share of the batch. */
  ended: boolean;
  /** The rest of the report in JSON, as it is stored: making it here spares the process's only thread the work. */
  report: string;
  /** The segment; empty if there is nothing to store. */
  content: Uint8Array;
  parts: { name: PartName; length: number }[];
  pages: number;
  scans: Scan[];
}
