/**
 * How workers are given to stages. A policy is a pure function: the watchdog feeds it with what it reads, the dry run
 * prints what it says, and the simulator runs it under virtual time.
 */
export type Policy = (snapshot: Snapshot, parameters: PolicyParameters) => Plan;

export interface PolicyParameters {
  /** MMN: messages that a worker should get through before it is moved again. */
  minimumMessages: number;
  /** MRT: what a switch is reckoned to take. */
  reconfigurationMs: number;
  /** AMT of a stage of which nothing is known yet. */
  unknownAverageMs: number;
  /** Time between two plans. */
  periodMs: number;
  /** `flow`: a stage with work that nobody has served for this long gets a worker before all others. */
  patienceMs: number;
}

export const defaultParameters: PolicyParameters = {
  minimumMessages: 10,
  reconfigurationMs: 10_000,
  unknownAverageMs: 1000,
  periodMs: 1000,
  patienceMs: 600_000,
};

export interface Snapshot {
  at: number;
  /** The exclusive ones: shared stages are served by everybody and need no plan. */
  stages: readonly StageSnapshot[];
  workers: readonly WorkerSnapshot[];
}

export interface StageSnapshot {
  name: string;
  /** AP: -1 = never planned. */
  priority: number;
  labels: readonly string[];
  /** Messages that wait. */
  length: number;
  /** Messages in hand. */
  inFlight: number;
  /** A paused queue starts nothing, so it is planned as if it were empty. */
  paused: boolean;
  /** AMT, null while nobody has processed a message of it. */
  averageMs: number | null;
  /** Since when messages wait with nobody serving them, null when that is not so. */
  waitingSince: number | null;
  /** Where its messages go next, as shares of all; what is missing to 1 is finished after it. */
  next?: Readonly<Record<string, number>>;
}

export interface WorkerSnapshot {
  id: string;
  labels: readonly string[];
  stage: string | null;
  alive: boolean;
  enabled: boolean;
  pinned: boolean;
  /** It lives, but could not load the stage that it was given. */
  failed: boolean;
  /** Stages that it could not load lately: others may, it may not. */
  unable?: readonly string[];
  unlockAt: number;
  inFlight: number;
  /** The stage that it really serves now; it goes to `stage` when its current message is finished. */
  serving?: string | null;
  /** How long it has been at its current message. */
  busyMs?: number;
  /** Stages that it keeps loaded: a switch to one of them is warm. */
  loaded?: readonly string[];
  /** What its switches took, as it reports; null or missing while it has made none. */
  coldMs?: number | null;
  warmMs?: number | null;
}

export interface Plan {
  assignments: Assignment[];
  /** The numbers behind it, as they were before the first assignment. */
  queues: QueueNumbers[];
}

export interface Assignment {
  worker: string;
  from: string | null;
  to: string;
  unlockAt: number;
  reason: string;
  /** The numbers that decided, for whoever asks why. */
  details?: Record<string, number>;
}

export interface QueueNumbers {
  stage: string;
  /** L */
  length: number;
  /** AMT */
  averageMs: number;
  /** NW */
  workers: number;
  /** WT */
  waitingMs: number;
  /** AP */
  priority: number;
  /** PP, in seconds */
  parametric: number;
  /** P, between 0 and 1 */
  relative: number;
  /** What else the policy reckons with, by name. */
  details?: Record<string, number>;
}
