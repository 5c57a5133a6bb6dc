import { z } from 'zod';
import { type Caller, mayTouch } from '../ground/caller.ts';
import { programOwner } from '../stage/program-owner.ts';

/**
 * What an elected service sees every few seconds, once for everybody who watches: numbers that change all the time, and are worth nothing a
 * moment later. What is 0, null or false is left out, and so are queues of which nothing is left: several hundred queues fit in a few kilobytes.
 */
export const sampledQueue = z.object({
  name: z.string(),
  /** Missing: it belongs to a stage, and everybody may see it. */
  owner: z.string().optional(),
  ready: z.number().optional(),
  /** How many of `ready` are in the high lane. */
  high: z.number().optional(),
  backlog: z.number().optional(),
  delayed: z.number().optional(),
  inFlight: z.number().optional(),
  dead: z.number().optional(),
  /** When the oldest ready message was published. */
  oldestAt: z.number().optional(),
  paused: z.boolean().optional(),
  broken: z.boolean().optional(),
});
export type SampledQueue = z.infer<typeof sampledQueue>;

export const sampledWorker = z.object({
  id: z.string(),
  state: z.string(),
  stage: z.string().optional(),
  inFlight: z.number().optional(),
  /** When it began its current message of the exclusive stage. */
  busySince: z.number().optional(),
});

/** How far a piece of long work has come. */
export const progress = z.object({
  kind: z.string(),
  entity: z.string(),
  owner: z.string(),
  name: z.string(),
  done: z.number(),
  total: z.number(),
});
export type Progress = z.infer<typeof progress>;

export const sample = z.object({
  at: z.number(),
  queues: z.array(sampledQueue),
  /** Messages that workers finished in the last minute, and how long they took on average. */
  rates: z.record(z.string(), z.object({ perMinute: z.number(), meanMs: z.number() })),
  workers: z.array(sampledWorker),
  progress: z.array(progress),
});
export type Sample = z.infer<typeof sample>;

/** The part of a sample that a caller may see: everything of the installation, and what is theirs. Administrators see all. */
export function visibleSample(all: Sample, caller: Pick<Caller, 'name' | 'role'>): Sample {
  if (caller.role === 'admin') return all;
  return {
    ...all,
    queues: all.queues.filter(({ owner }) => owner === undefined || mayTouch(caller, owner)),
    progress: all.progress.filter(({ owner }) => mayTouch(caller, owner)),
  };
}

/** The owner of queues that other programs made. Only administrators see them. */
export const ofNobody = programOwner;
