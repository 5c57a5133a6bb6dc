import type { Operations } from '../api/types.ts';
import { compareNumbered } from './timeline/rows.ts';

export type Worker = Operations['worker.ls']['output']['workers'][number];

/** The shape and colour of a worker's state. */
export const workerShapes = {
  STARTING: 'waiting',
  PROCESSING: 'ok',
  RECONFIGURING: 'waiting',
  IDLE: 'rest',
  FAILED: 'failed',
  DEAD: 'failed',
} as const;
export type WorkerState = keyof typeof workerShapes;

/** What a person sees of it: who left on purpose has not failed. */
export type ShownState = WorkerState | 'LEFT' | 'DISABLED';

interface Sampled {
  at: number;
  workers: readonly { id: string; state: string; stage?: string; inFlight?: number; busySince?: number }[];
}

export interface LiveWorker {
  id: string;
  host: string;
  state: ShownState;
  stage: string | undefined;
  inFlight: number;
  busySince: number | undefined;
  labels: readonly string[];
  pinned: boolean;
  /** Why it can't serve some stages, or failed. */
  trouble: string | undefined;
}

/** The workers that were listed at `asOf`, with what the latest sample says of them if it is newer. */
export function liveWorkers(
  listed: readonly Worker[],
  asOf: number,
  sample: Sampled | undefined,
): LiveWorker[] {
  const isNewer = sample !== undefined && sample.at >= asOf;
  const sampled = new Map(sample?.workers.map((worker) => [worker.id, worker]));
  return listed
    .map((worker) => {
      const { presence, leftAt, enabled } = worker;
      const told = isNewer ? sampled.get(worker.id) : undefined;
      const state = (told?.state ?? worker.state) as WorkerState;
      const unable = Object.entries(presence?.unable ?? {})[0];
      return {
        id: worker.id,
        host: worker.host,
        state:
          state === 'DEAD' && leftAt !== null ? 'LEFT' : !enabled && state !== 'DEAD' ? 'DISABLED' : state,
        stage: (told ? told.stage : (presence?.stage ?? worker.stage)) ?? undefined,
        inFlight: told ? (told.inFlight ?? 0) : (presence?.inFlight ?? 0),
        busySince: (told ? told.busySince : presence?.busySince) ?? undefined,
        labels: worker.labels,
        pinned: worker.pinned,
        trouble: worker.failure ?? (unable && `${unable[0]}: ${unable[1]}`),
      } satisfies LiveWorker;
    })
    .sort((a, b) => compareNumbered(a.id, b.id));
}

export const shapeOf = (state: ShownState) =>
  state === 'LEFT' || state === 'DISABLED' ? 'rest' : workerShapes[state];

export const isHere = ({ state }: LiveWorker) => state !== 'DEAD' && state !== 'LEFT';
export const isBusy = (worker: LiveWorker) => isHere(worker) && worker.inFlight > 0;
/** Somebody should look. */
export const isInTrouble = ({ state, trouble }: LiveWorker) =>
  state === 'FAILED' || state === 'DEAD' || (trouble !== undefined && state !== 'LEFT');

export interface StageCrew {
  stage: string;
  here: number;
  busy: number;
  switching: number;
}

/** How many workers are at each stage, the largest crew first. */
export function crewsOf(workers: readonly LiveWorker[]): StageCrew[] {
  const groups = Map.groupBy(workers.filter(isHere), ({ stage }) => stage ?? '');
  return [...groups]
    .map(([stage, members]) => ({
      stage,
      here: members.length,
      busy: members.filter(isBusy).length,
      switching: members.filter(({ state }) => state === 'RECONFIGURING' || state === 'STARTING').length,
    }))
    .sort((a, b) => b.here - a.here || compareNumbered(a.stage, b.stage));
}

/** `only` is a state, `trouble` or `pinned`. The text is looked for in names, hosts, stages and labels. */
export function filterWorkers(
  workers: readonly LiveWorker[],
  { text, only }: { text: string; only: string | undefined },
): LiveWorker[] {
  const wanted = text.trim().toLowerCase();
  return workers.filter((worker) => {
    const { id, host, stage = '', labels } = worker;
    if (![id, host, stage, ...labels].some((one) => one.toLowerCase().includes(wanted))) return false;
    if (only === 'trouble') return isInTrouble(worker);
    if (only === 'busy') return isBusy(worker);
    if (only === 'here') return isHere(worker);
    if (only === 'pinned') return worker.pinned;
    return true;
  });
}
