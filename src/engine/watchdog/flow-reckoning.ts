import { averageOf, type Board, freeInMs, homeOf, waiting } from './flow-board.ts';
import type { StageSnapshot, WorkerSnapshot } from './policy.ts';

/** Lots are this long: the square root of `lotFactor` * switch / worth of a message. Found by simulation, flat around 100-200. */
const lotFactor = 150;
/** A stage that is loaded stays loaded: the first switch to it is reckoned to pay for about this many. */
const reuse = 10;

/** Requests finished per second of work spent on them, times the administrator's priority. */
export function urgency(board: Board, stage: StageSnapshot): number {
  return ((stage.priority + 1) * 1000) / (board.work.get(stage.name) ?? 1);
}

export function urgencyAt(board: Board, worker: WorkerSnapshot): number {
  const home = homeOf(board, worker);
  return home && waiting(home) > 0 ? urgency(board, home) : 0;
}

/**
 * What a stage is worth to a worker that has nothing to do: urgency, less the share of its time that it spends on the
 * way, or there without work until it can be told to go elsewhere.
 */
export function gain(board: Board, worker: WorkerSnapshot, stage: StageSnapshot, messages: number): number {
  const workMs = messages * averageOf(stage, board.parameters);
  const timeMs = Math.max(workMs + switchMs(board, worker, stage), board.parameters.periodMs);
  return (urgency(board, stage) * workMs) / timeMs;
}

/** How much of the time until the next plan these messages fill: 1 is all of it. */
export function fill(board: Board, stage: StageSnapshot, messages: number): number {
  return messages <= 0
    ? 0
    : messages / Math.max(1, board.parameters.periodMs / averageOf(stage, board.parameters));
}

/**
 * Messages that make a switch worth while. Of quick ones also what fills the time until the next plan, in which the
 * worker can't be told to go on; but no more than what is reasonable for the loss of a whole period at the pace at which
 * it works now.
 */
export function lotOf(board: Board, worker: WorkerSnapshot, stage: StageSnapshot): number {
  const { parameters } = board;
  const average = averageOf(stage, parameters);
  const home = homeOf(board, worker);
  const perPeriod = Math.ceil(parameters.periodMs / average);
  const reasonable = home ? rootLot(parameters.periodMs, averageOf(home, parameters)) : perPeriod;
  const lot = rootLot(switchMs(board, worker, stage), worth(board, stage));
  return Math.max(1, lot, Math.min(perPeriod, reasonable));
}

/** Between what a message takes and what it has cost before: work in messages that wait is work for nothing so far. */
function worth(board: Board, stage: StageSnapshot): number {
  const average = averageOf(stage, board.parameters);
  return Math.sqrt(average * Math.max(average, board.invested.get(stage.name) ?? 0));
}

function rootLot(lostMs: number, worthMs: number): number {
  return Math.floor(Math.sqrt((lotFactor * lostMs) / worthMs));
}

export function switchMs(board: Board, worker: WorkerSnapshot, stage: StageSnapshot): number {
  if (homeOf(board, worker) === stage) return 0;
  const cold = worker.coldMs ?? board.parameters.reconfigurationMs;
  const warm = Math.min(cold, worker.warmMs ?? cold);
  return worker.loaded?.includes(stage.name) ? warm : warm + (cold - warm) / reuse;
}

/** Messages that are there when the worker is free: its own goes on to the next stage. */
export function coming(board: Board, worker: WorkerSnapshot, stage: StageSnapshot): number {
  const home = homeOf(board, worker);
  const own = worker.inFlight > 0 ? (home?.next?.[stage.name] ?? 0) : 0;
  return waiting(stage) + own;
}

/** What is left for this worker when everybody else who gets to the stage before it brings his own and takes one. */
export function available(board: Board, worker: WorkerSnapshot, stage: StageSnapshot): number {
  const thereIn = freeInMs(board, worker) + switchMs(board, worker, stage);
  let left = coming(board, worker, stage);
  for (const takesIn of board.takers.get(stage.name) ?? []) if (takesIn <= thereIn) left--;
  const own = board.places.get(worker.id);
  for (const { by, inMs, share } of board.brought.get(stage.name) ?? []) {
    if (by.stage === stage.name && inMs <= thereIn && by !== own) left += share;
  }
  return left;
}
