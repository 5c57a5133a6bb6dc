import type { SentenceCode } from '../ground/sentence.ts';

/**
 * How workers are assigned to stages. A policy is a pure function: the watchdog gives it what it reads, the dry run
 * prints its result, and the simulator runs it in virtual time.
 */
export type Policy = (snapshot: Snapshot, parameters: PolicyParameters) => Plan;

export interface PolicyParameters {
  /** MMN: messages that a worker should process before it is moved again. */
  minimumMessages: number;
  /** MRT: the assumed time of a switch. */
  reconfigurationMs: number;
  /** AMT of a stage without measurements. */
  unknownAverageMs: number;
  /** Time between two plans. */
  periodMs: number;
  /** `flow`: a stage whose work has been unserved for this long gets a worker before all other stages. */
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
  /** Only exclusive stages: every worker serves the shared ones, which need no plan. */
  stages: readonly StageSnapshot[];
  workers: readonly WorkerSnapshot[];
}

export interface StageSnapshot {
  name: string;
  /** AP: -1 = never planned. */
  priority: number;
  labels: readonly string[];
  /** Messages waiting. */
  length: number;
  /** Messages in progress. */
  inFlight: number;
  /** A paused queue starts nothing, so it is planned as if it were empty. */
  paused: boolean;
  /** AMT; null until a message of it has been processed. */
  averageMs: number | null;
  /** Time since which messages wait without a worker; null if they don't. */
  waitingSince: number | null;
  /** Where its messages go next, as shares of all messages. The rest to 1 is finished after it. */
  next?: Readonly<Record<string, number>>;
}

export interface WorkerSnapshot {
  id: string;
  labels: readonly string[];
  stage: string | null;
  alive: boolean;
  enabled: boolean;
  pinned: boolean;
  /** Whether it is alive but could not load its stage. */
  failed: boolean;
  /** Stages that it recently failed to load. It must not be assigned to them; other workers may. */
  unable?: readonly string[];
  /** How often it has failed to load each of these stages since it last loaded them. */
  failedLoads?: Readonly<Record<string, number>>;
  unlockAt: number;
  inFlight: number;
  /** The stage that it actually serves now. It moves to `stage` after its current message. */
  serving?: string | null;
  /** How long it has worked on its current message. */
  busyMs?: number;
  /** Stages that it keeps loaded: a switch to one of them is warm. */
  loaded?: readonly string[];
  /** The time its switches took, as reported; null or missing if it has made none. */
  coldMs?: number | null;
  warmMs?: number | null;
}

export interface Plan {
  assignments: Assignment[];
  /** The numbers behind the plan, before the first assignment. */
  queues: QueueNumbers[];
}

export interface Assignment {
  worker: string;
  from: string | null;
  to: string;
  unlockAt: number;
  reason: string;
  /** The reason for programs, which can say it in another language. */
  sentence?: SentenceCode;
  /** The numbers behind the decision. */
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
  /** Whether a worker has the stage loaded, or is trusted to load it. Default: whether `workers` is above 0. */
  isServed?: boolean | undefined;
  /** Other numbers that the policy uses, by name. */
  details?: Record<string, number>;
}
