import type { CrawlDefinition } from '../crawl/options.ts';
import type { Scan } from '../scans/scan.ts';
import type { BatchPlan, Report, ScoutPlan } from './plan.ts';
import type { PartName } from './segment-buffer.ts';

/** What a harvester's thread is told. */
export type ToThread =
  | {
      kind: 'harvest';
      batch: string;
      crawl: number;
      options: CrawlDefinition;
      plan: BatchPlan;
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
  report: Report;
  parts: { name: PartName; content: Uint8Array }[];
  pages: number;
  scans: Scan[];
}
