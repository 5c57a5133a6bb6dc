import { averageOf, type Board, freeInMs, homeOf, waiting } from './flow-board.ts';
import type { StageSnapshot, WorkerSnapshot } from './policy.ts';

/** The size of a lot is the square root of `lotFactor` * switch / worth of a message. Found by simulation; flat around 100-200. */
const lotFactor = 150;
/** A loaded stage stays loaded: the first switch to it is assumed to pay off over about this many messages. */
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
 * The value of a stage to an idle worker: its urgency, less the share of time that the worker spends on the switch, or idles
 * there until it can be moved again.
 */
export function gain(board: Board, worker: WorkerSnapshot, stage: StageSnapshot, messages: number): number {
  const workMs = messages * averageOf(stage, board.parameters);
  const timeMs = Math.max(workMs + switchMs(board, worker, stage), board.parameters.periodMs);
  return (urgency(board, stage) * workMs) / timeMs;
}

/** The share of the time until the next plan that these messages fill; 1 is all of it. */
export function fill(board: Board, stage: StageSnapshot, messages: number): number {
  return messages <= 0
    ? 0
    : messages / Math.max(1, board.parameters.periodMs / averageOf(stage, board.parameters));
}

/**
 * Messages that make a switch worthwhile. For quick messages, also enough to fill the time until the next plan, during which
 * the worker can't be moved again; but no more than the loss of a whole period justifies at its present pace.
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

/** A value between the time of a message and the work already spent on it: work in waiting messages is of no use yet. */
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

/** Messages that will be there when the worker is free. The message it is working on goes on to the next stage. */
export function coming(board: Board, worker: WorkerSnapshot, stage: StageSnapshot): number {
  const home = homeOf(board, worker);
  const own = worker.inFlight > 0 ? (home?.next?.[stage.name] ?? 0) : 0;
  return waiting(stage) + own;
}

/** The messages left for this worker after each worker that arrives earlier has brought its message and taken one. */
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
