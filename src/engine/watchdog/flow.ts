import type {
  Assignment,
  Plan,
  Policy,
  PolicyParameters,
  QueueNumbers,
  Snapshot,
  StageSnapshot,
  WorkerSnapshot,
} from './policy.ts';
import { remainingWork } from './remaining-work.ts';

/** How much more urgent another stage must be before a worker leaves work behind: averages are never exact. */
const clearly = 1.1;
/** A stage in the middle of a pipeline is left for a lot this much larger: what waits there has cost work already. */
const halfDone = 1.5;
/** Lots are this long: the square root of `lotFactor` * switch / message. Found by simulation, flat around 60-100. */
const lotFactor = 80;
/** A stage that is loaded stays loaded: the first switch to it is reckoned to pay for about this many. */
const reuse = 10;

/**
 * Lowest mean time in the system: what is nearest to its end is finished first, because a request that is done waits no
 * more, and no worker is sent on a way that costs more than it gains.
 *
 * 1. A stage that nobody has served for `patienceMs` gets a worker before anything else is decided.
 * 2. A worker that will have nothing to do goes where work waits and nobody is, the nearest to the end first; to a
 *    stage that is served only for two lots.
 * 3. A worker that has work leaves it only for a whole lot, at a stage that is clearly nearer to the end. What a lot is
 *    follows from what the switch costs: a switch that costs nothing is worth making for every message.
 *
 * Workers are decided upon one after another, in the order in which they will be free, each knowing what those before
 * it will do; so they never all run to the same queue.
 */
export const flow: Policy = (snapshot, parameters) => {
  const board = newBoard(snapshot, parameters);
  const queues = board.stages.map((stage) => numbers(board, stage));
  const rescues = rescueStarving(board);
  const decided = new Set(rescues.map((assignment) => assignment.worker));
  const moves = board.movable
    .filter((worker) => !decided.has(worker.id))
    .flatMap((worker) => decide(board, worker) ?? []);
  return { assignments: [...rescues, ...moves], queues } satisfies Plan;
};

interface Board {
  at: number;
  parameters: PolicyParameters;
  stages: readonly StageSnapshot[];
  byName: ReadonlyMap<string, StageSnapshot>;
  /** Remaining work of a message of the stage, in milliseconds. */
  work: ReadonlyMap<string, number>;
  /** Stages that get messages from others. */
  fed: ReadonlySet<string>;
  /** For each stage, when those who are there or on their way, as decided so far, will take their next message. */
  takers: Map<string, number[]>;
  /** In the order in which they will be free. */
  movable: readonly WorkerSnapshot[];
}

function newBoard({ at, stages, workers }: Snapshot, parameters: PolicyParameters): Board {
  const byName = new Map(stages.map((stage) => [stage.name, stage]));
  const board: Board = {
    at,
    parameters,
    stages,
    byName,
    work: remainingWork(stages, (stage) => averageOf(stage, parameters)),
    fed: new Set(stages.flatMap((stage) => Object.keys(stage.next ?? {}))),
    takers: new Map(),
    movable: [],
  };
  const living = workers.filter((worker) => worker.alive && worker.enabled);
  const freeIn = new Map(living.map((worker) => [worker.id, freeInMs(board, worker)]));
  for (const { id, stage } of living) if (stage !== null) arrive(board, stage, freeIn.get(id) ?? 0);
  board.movable = living
    .filter((worker) => !worker.pinned)
    // Of those who are free at the same time, whoever can do least comes first: the others are kept for what needs them.
    .sort(
      (a, b) =>
        (freeIn.get(a.id) ?? 0) - (freeIn.get(b.id) ?? 0) ||
        a.labels.length - b.labels.length ||
        (a.id < b.id ? -1 : 1),
    );
  return board;
}

/** One worker for each stage that has waited too long, the longest first; it stays for a lot. */
function rescueStarving(board: Board): Assignment[] {
  const starving = board.stages
    .filter(
      (stage) =>
        waiting(stage) > 0 &&
        servers(board, stage) === 0 &&
        waitedMs(board, stage) >= board.parameters.patienceMs,
    )
    .sort((a, b) => waitedMs(board, b) - waitedMs(board, a));
  const taken = new Set<string>();
  const assignments: Assignment[] = [];
  for (const stage of starving) {
    const worker = board.movable
      .filter((each) => !taken.has(each.id) && !isLocked(board, each) && mayServe(each, stage))
      .sort(
        (a, b) =>
          urgencyAt(board, a) - urgencyAt(board, b) || switchMs(board, a, stage) - switchMs(board, b, stage),
      )[0];
    if (!worker) continue;
    taken.add(worker.id);
    const why = `nobody has served ${stage.name} for ${Math.round(waitedMs(board, stage) / 1000)} s`;
    assignments.push(...assign(board, worker, stage, why, lotOf(board, worker, stage)));
  }
  return assignments;
}

function decide(board: Board, worker: WorkerSnapshot): Assignment[] | undefined {
  if (isLocked(board, worker)) return undefined;
  const home = homeOf(board, worker);
  // While we decide, it stands nowhere.
  leave(board, worker);
  const hasWork = home !== undefined && fill(board, home, available(board, worker, home)) >= 1;
  const target = hasWork
    ? lotElsewhere(board, worker, home)
    : (workElsewhere(board, worker) ?? anyWork(board, worker));
  if (worker.stage !== null) arrive(board, worker.stage, freeInMs(board, worker));
  // It was told to go elsewhere, but there is work where it is: it stays.
  if (!target)
    return hasWork && worker.stage !== home.name
      ? assign(board, worker, home, 'there is work again')
      : undefined;
  if (target.name === worker.stage) return undefined;
  const why = hasWork
    ? `a lot waits at ${target.name}, nearer to its end than ${home.name}`
    : `nothing left to do${home ? ` at ${home.name}` : ''}; ${target.name} waits`;
  return assign(board, worker, target, why);
}

/** For a worker that has work: a clearly more urgent stage where a whole lot waits. */
function lotElsewhere(board: Board, worker: WorkerSnapshot, home: StageSnapshot): StageSnapshot | undefined {
  const isHalfDone = board.fed.has(home.name) && servers(board, home) === 0;
  return mostUrgent(
    board,
    worker,
    home,
    (stage) => {
      const lot = lotOf(board, worker, stage);
      const wanted = (lot > 1 && isHalfDone ? halfDone : 1) * lot * (1 + servers(board, stage));
      return coming(board, worker, stage) >= wanted ? urgency(board, stage) : 0;
    },
    urgency(board, home) * clearly,
  );
}

/** For a worker that has nothing to do: work that nobody serves, or more of it than those who are there can do soon. */
function workElsewhere(board: Board, worker: WorkerSnapshot): StageSnapshot | undefined {
  return mostUrgent(board, worker, undefined, (stage) => {
    const others = servers(board, stage);
    const messages = coming(board, worker, stage);
    if (messages < (others > 0 ? 2 * lotOf(board, worker, stage) * others : 1)) return 0;
    return gain(board, worker, stage, messages / (1 + others));
  });
}

/** Better than nothing: whatever waits beyond what those who are there will take next. */
function anyWork(board: Board, worker: WorkerSnapshot): StageSnapshot | undefined {
  return mostUrgent(board, worker, undefined, (stage) => {
    const messages = available(board, worker, stage);
    if (messages > 0) return gain(board, worker, stage, messages);
    // One that has never served anything gets ready where it will be needed first.
    const load = (waiting(stage) * averageOf(stage, board.parameters)) / (1 + servers(board, stage));
    return worker.stage === null ? load * Number.EPSILON : 0;
  });
}

function mostUrgent(
  board: Board,
  worker: WorkerSnapshot,
  except: StageSnapshot | undefined,
  worth: (stage: StageSnapshot) => number,
  above = 0,
): StageSnapshot | undefined {
  let best: StageSnapshot | undefined;
  let most = above;
  for (const stage of board.stages) {
    if (stage === except || !isOpen(stage) || !mayServe(worker, stage)) continue;
    const found = worth(stage);
    if (found <= most) continue;
    best = stage;
    most = found;
  }
  return best;
}

function assign(
  board: Board,
  worker: WorkerSnapshot,
  stage: StageSnapshot,
  why: string,
  stays = 0,
): Assignment[] {
  const lot = lotOf(board, worker, stage);
  const costMs = switchMs(board, worker, stage);
  const messages = waiting(stage);
  const others = servers(board, stage);
  leave(board, worker);
  arrive(board, stage.name, freeInMs(board, worker) + costMs);
  const stayMs = averageOf(stage, board.parameters) * Math.min(stays, messages);
  return [
    {
      worker: worker.id,
      from: worker.stage,
      to: stage.name,
      unlockAt: Math.ceil(board.at + costMs + stayMs),
      reason: `${why}: ${messages} waiting, ${others} serving, a lot is ${lot}`,
      details: {
        switchMs: costMs,
        lot,
        waiting: messages,
        serving: others,
        freeInMs: freeInMs(board, worker),
      },
    },
  ];
}

/**
 * What a stage is worth to a worker that has nothing to do: urgency, less the share of its time that it spends on the
 * way, or there without work until it can be told to go elsewhere.
 */
function gain(board: Board, worker: WorkerSnapshot, stage: StageSnapshot, messages: number): number {
  const workMs = messages * averageOf(stage, board.parameters);
  const timeMs = Math.max(workMs + switchMs(board, worker, stage), board.parameters.periodMs);
  return (urgency(board, stage) * workMs) / timeMs;
}

/** How much of the time until the next plan these messages fill: 1 is all of it. */
function fill(board: Board, stage: StageSnapshot, messages: number): number {
  return messages <= 0
    ? 0
    : messages / Math.max(1, board.parameters.periodMs / averageOf(stage, board.parameters));
}

/** Requests finished per second of work spent on them, times the administrator's priority. */
function urgency(board: Board, stage: StageSnapshot): number {
  return ((stage.priority + 1) * 1000) / (board.work.get(stage.name) ?? 1);
}

function urgencyAt(board: Board, worker: WorkerSnapshot): number {
  const home = homeOf(board, worker);
  return home && waiting(home) > 0 ? urgency(board, home) : 0;
}

function lotOf(board: Board, worker: WorkerSnapshot, stage: StageSnapshot): number {
  const share = switchMs(board, worker, stage) / averageOf(stage, board.parameters);
  const perPeriod = board.parameters.periodMs / averageOf(stage, board.parameters);
  return Math.max(1, Math.floor(Math.sqrt(lotFactor * share)), Math.ceil(perPeriod));
}

function switchMs(board: Board, worker: WorkerSnapshot, stage: StageSnapshot): number {
  if (homeOf(board, worker) === stage) return 0;
  const cold = worker.coldMs ?? board.parameters.reconfigurationMs;
  const warm = Math.min(cold, worker.warmMs ?? cold);
  return worker.loaded?.includes(stage.name) ? warm : warm + (cold - warm) / reuse;
}

/** Messages that are there when the worker is free: its own goes on to the next stage. */
function coming(board: Board, worker: WorkerSnapshot, stage: StageSnapshot): number {
  const home = homeOf(board, worker);
  const own = worker.inFlight > 0 ? (home?.next?.[stage.name] ?? 0) : 0;
  return waiting(stage) + own;
}

/** What is left for this worker when everybody else who gets to the stage before it takes one. */
function available(board: Board, worker: WorkerSnapshot, stage: StageSnapshot): number {
  const thereIn = freeInMs(board, worker) + switchMs(board, worker, stage);
  const before = board.takers.get(stage.name)?.filter((takesIn) => takesIn <= thereIn).length ?? 0;
  return coming(board, worker, stage) - before;
}

function servers(board: Board, stage: StageSnapshot): number {
  return board.takers.get(stage.name)?.length ?? 0;
}

function arrive(board: Board, stage: string, takesIn: number): void {
  const takers = board.takers.get(stage);
  if (takers) takers.push(takesIn);
  else board.takers.set(stage, [takesIn]);
}

function leave(board: Board, worker: WorkerSnapshot): void {
  const takers = worker.stage === null ? undefined : board.takers.get(worker.stage);
  takers?.splice(takers.indexOf(freeInMs(board, worker)), 1);
}

/** The stage that it can go on with at no cost. One that it could not load is none. */
function homeOf(board: Board, worker: WorkerSnapshot): StageSnapshot | undefined {
  const name = worker.serving ?? worker.stage;
  const stage = name === null ? undefined : board.byName.get(name);
  return stage && !worker.failed && isOpen(stage) && mayServe(worker, stage) ? stage : undefined;
}

function freeInMs(board: Board, worker: WorkerSnapshot): number {
  const home = homeOf(board, worker);
  if (!home || worker.inFlight === 0) return 0;
  const average = averageOf(home, board.parameters);
  return Math.max(0, average - (worker.busyMs ?? average / 2));
}

/** It was moved lately and has not had its lot yet. */
function isLocked(board: Board, worker: WorkerSnapshot): boolean {
  if (worker.unlockAt <= board.at || worker.failed || worker.stage === null) return false;
  const stage = board.byName.get(worker.stage);
  return stage !== undefined && isOpen(stage) && mayServe(worker, stage) && waiting(stage) > 0;
}

function waitedMs(board: Board, stage: StageSnapshot): number {
  return stage.waitingSince === null ? 0 : board.at - stage.waitingSince;
}

function isOpen(stage: StageSnapshot): boolean {
  return stage.priority >= 0 && !stage.paused;
}

function waiting(stage: StageSnapshot): number {
  return isOpen(stage) ? stage.length : 0;
}

// At least a millisecond: what takes no time must not be infinitely urgent.
function averageOf(stage: StageSnapshot, parameters: PolicyParameters): number {
  return Math.max(1, stage.averageMs ?? parameters.unknownAverageMs);
}

function mayServe(worker: WorkerSnapshot, stage: StageSnapshot): boolean {
  return !worker.unable?.includes(stage.name) && stage.labels.every((label) => worker.labels.includes(label));
}

function numbers(board: Board, stage: StageSnapshot): QueueNumbers {
  const total = board.stages.reduce((sum, each) => sum + (waiting(each) > 0 ? urgency(board, each) : 0), 0);
  const own = waiting(stage) > 0 ? urgency(board, stage) : 0;
  return {
    stage: stage.name,
    length: waiting(stage),
    averageMs: averageOf(stage, board.parameters),
    workers: servers(board, stage),
    waitingMs: Math.max(0, waitedMs(board, stage)),
    priority: stage.priority,
    parametric: own,
    relative: total > 0 ? own / total : 0,
    details: { remainingMs: Math.round(board.work.get(stage.name) ?? 0) },
  };
}
