import { investedWork } from './invested-work.ts';
import type { PolicyParameters, Snapshot, StageSnapshot, WorkerSnapshot } from './policy.ts';
import { remainingWork } from './remaining-work.ts';

/** The state of policy `flow`: the snapshot, and the workers placed so far. */
export interface Board {
  at: number;
  parameters: PolicyParameters;
  stages: readonly StageSnapshot[];
  byName: ReadonlyMap<string, StageSnapshot>;
  /** Remaining work of a message of the stage, in milliseconds. */
  work: ReadonlyMap<string, number>;
  /** Work already spent on a message of the stage, in milliseconds. */
  invested: ReadonlyMap<string, number>;
  /** Stages that get messages from other stages. */
  fed: ReadonlySet<string>;
  /** For each live worker: the stage it can continue at no cost, and when it will be free. */
  homes: Map<string, StageSnapshot>;
  freeIn: Map<string, number>;
  /** For each stage, when the workers placed there so far will take their next message. */
  takers: Map<string, number[]>;
  /** For each stage, the messages that workers elsewhere will bring there, and when. */
  brought: Map<string, { by: Place; inMs: number; share: number }[]>;
  /** The stage where each worker is or goes, so far. */
  places: Map<string, Place>;
  living: readonly WorkerSnapshot[];
  /** Workers in the order in which they will be free. */
  movable: readonly WorkerSnapshot[];
  /** One worker of each kind. Workers of one kind may serve the same stages. */
  kinds: readonly WorkerSnapshot[];
}

export interface Place {
  stage: string | null;
}

export function newBoard({ at, stages, workers }: Snapshot, parameters: PolicyParameters): Board {
  const byName = new Map(stages.map((stage) => [stage.name, stage]));
  const board: Board = {
    at,
    parameters,
    stages,
    byName,
    work: remainingWork(stages, (stage) => averageOf(stage, parameters)),
    invested: investedWork(stages, (stage) => averageOf(stage, parameters)),
    fed: new Set(stages.flatMap((stage) => Object.keys(stage.next ?? {}))),
    homes: new Map(),
    freeIn: new Map(),
    takers: new Map(),
    brought: new Map(),
    places: new Map(),
    living: workers.filter((worker) => worker.alive && worker.enabled),
    movable: [],
    kinds: [],
  };
  for (const worker of board.living) {
    const home = findHome(board, worker);
    if (home) board.homes.set(worker.id, home);
    board.freeIn.set(worker.id, reckonFreeIn(board, worker, home));
    arriveAtItsStage(board, worker);
    const place = { stage: worker.stage };
    board.places.set(worker.id, place);
    if (home && worker.inFlight > 0) bring(board, place, freeInMs(board, worker), home);
  }
  board.movable = board.living
    .filter((worker) => !worker.pinned)
    // Of workers free at the same time, the least able comes first: the others are kept for stages that need them.
    .sort(
      (a, b) =>
        freeInMs(board, a) - freeInMs(board, b) ||
        a.labels.length - b.labels.length ||
        (a.id < b.id ? -1 : 1),
    );
  const kindOf = ({ labels, unable }: WorkerSnapshot) => JSON.stringify([labels, unable]);
  board.kinds = [...new Map(board.movable.map((worker) => [kindOf(worker), worker])).values()];
  return board;
}

/** Whether the worker was moved recently and has not finished its lot yet, or has not even begun at the stage it was sent to rescue. */
export function isLocked(board: Board, worker: WorkerSnapshot): boolean {
  if (worker.failed || worker.stage === null) return false;
  const stage = board.byName.get(worker.stage);
  if (stage === undefined || !mayServe(worker, stage) || waiting(stage) === 0) return false;
  return worker.unlockAt > board.at || isOnItsWayToRescue(board, worker, stage);
}

/** A message in progress may take longer than the lock. */
function isOnItsWayToRescue(board: Board, worker: WorkerSnapshot, stage: StageSnapshot): boolean {
  return !isThere(worker, stage) && waitedMs(board, stage) >= board.parameters.patienceMs;
}

export function servers(board: Board, stage: StageSnapshot): number {
  return board.takers.get(stage.name)?.length ?? 0;
}

export function arrive(board: Board, stage: string, takesIn: number): void {
  const takers = board.takers.get(stage);
  if (takers) takers.push(takesIn);
  else board.takers.set(stage, [takesIn]);
}

/** Records where the worker's message goes when it is finished. */
function bring(board: Board, by: Place, inMs: number, home: StageSnapshot): void {
  for (const [stage, share] of Object.entries(home.next ?? {})) {
    const brought = board.brought.get(stage);
    if (brought) brought.push({ by, inMs, share });
    else board.brought.set(stage, [{ by, inMs, share }]);
  }
}

/** Counts the worker at its assigned stage, unless it recently failed to load that stage. */
export function arriveAtItsStage(board: Board, worker: WorkerSnapshot): void {
  const { stage, unable } = worker;
  if (stage !== null && !unable?.includes(stage)) arrive(board, stage, freeInMs(board, worker));
}

/** Reverses `arriveAtItsStage`. */
export function leave(board: Board, worker: WorkerSnapshot): void {
  const { stage, unable } = worker;
  const takers = stage === null || unable?.includes(stage) ? undefined : board.takers.get(stage);
  takers?.splice(takers.indexOf(freeInMs(board, worker)), 1);
}

/** Whether a worker that has the stage loaded is there: one still on its way may fail to load it, or be sent elsewhere. */
export function isServed(board: Board, stage: StageSnapshot): boolean {
  return board.living.some((worker) => worker.stage === stage.name && isThere(worker, stage));
}

function isThere(
  { stage, serving = stage, unable, loaded }: WorkerSnapshot,
  { name }: StageSnapshot,
): boolean {
  return serving === name && !unable?.includes(name) && (loaded?.includes(name) ?? true);
}

export function failedLoads(worker: WorkerSnapshot, stage: StageSnapshot): number {
  return worker.failedLoads?.[stage.name] ?? 0;
}

export function homeOf(board: Board, worker: WorkerSnapshot): StageSnapshot | undefined {
  return board.homes.get(worker.id);
}

export function freeInMs(board: Board, worker: WorkerSnapshot): number {
  return board.freeIn.get(worker.id) ?? 0;
}

/** A stage that the worker could not load does not count. */
function findHome(board: Board, worker: WorkerSnapshot): StageSnapshot | undefined {
  const name = worker.serving ?? worker.stage;
  const stage = name === null ? undefined : board.byName.get(name);
  return stage && !worker.failed && isOpen(stage) && mayServe(worker, stage) ? stage : undefined;
}

function reckonFreeIn(board: Board, worker: WorkerSnapshot, home: StageSnapshot | undefined): number {
  if (!home || worker.inFlight === 0) return 0;
  const average = averageOf(home, board.parameters);
  return Math.max(0, average - (worker.busyMs ?? average / 2));
}

export function waitedMs(board: Board, stage: StageSnapshot): number {
  return stage.waitingSince === null ? 0 : board.at - stage.waitingSince;
}

export function isOpen(stage: StageSnapshot): boolean {
  return stage.priority >= 0 && !stage.paused;
}

export function waiting(stage: StageSnapshot): number {
  return isOpen(stage) ? stage.length : 0;
}

// At least a millisecond: a stage that takes no time must not be infinitely urgent.
export function averageOf(stage: StageSnapshot, parameters: PolicyParameters): number {
  return Math.max(1, stage.averageMs ?? parameters.unknownAverageMs);
}

export function mayServe(worker: WorkerSnapshot, stage: StageSnapshot): boolean {
  return !worker.unable?.includes(stage.name) && stage.labels.every((label) => worker.labels.includes(label));
}
