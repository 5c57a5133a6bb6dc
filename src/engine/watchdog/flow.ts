import {
  arrive,
  averageOf,
  type Board,
  freeInMs,
  homeOf,
  isLocked,
  isOpen,
  leave,
  mayServe,
  newBoard,
  servers,
  waitedMs,
  waiting,
} from './flow-board.ts';
import { available, coming, fill, gain, lotOf, switchMs, urgency, urgencyAt } from './flow-reckoning.ts';
import type { Assignment, Plan, Policy, QueueNumbers, StageSnapshot, WorkerSnapshot } from './policy.ts';

/** How much more urgent another stage must be before a worker leaves work behind: averages are never exact. */
const clearly = 1.1;
/** A stage in the middle of a pipeline is left for a lot this much larger: what waits there has cost work already. */
const halfDone = 1.5;

/**
 * Lowest mean time in the system: what is nearest to its end is finished first, because a request that is done waits no
 * more, and no worker is sent on a way that costs more than it gains.
 *
 * 1. A stage that nobody has served for `patienceMs` gets a worker before anything else is decided.
 * 2. A worker that will have nothing to do goes where work waits and nobody is, the nearest to the end first; to a
 *    stage that is served only for two lots.
 * 3. A worker that has work leaves it only for a whole lot, at a stage that is clearly nearer to the end. What a lot is
 *    follows from what the switch costs: a switch that costs nothing is worth making for every message.
 *    What only few can do is not left for what others can do too.
 *
 * Workers are decided upon one after another, in the order in which they will be free, each knowing what those before
 * it will do; so they never all run to the same queue.
 *
 * Nobody starves: a stage with work, open, and with a worker that may serve it, is served again after at most
 * `patienceMs`, one period, and for each stage that has waited longer the message in hand, the switch and a lot; less
 * with more workers.
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
      // What only few can do is not left for what others can do too.
      if (board.kinds.some((other) => mayServe(other, stage) && !mayServe(other, home))) return 0;
      const lot = lotOf(board, worker, stage);
      const wanted = (lot > 1 && isHalfDone ? halfDone : 1) * lot * (1 + servers(board, stage));
      const isEnough =
        lot > 1 ? coming(board, worker, stage) >= wanted : available(board, worker, stage) >= 1;
      return isEnough ? urgency(board, stage) : 0;
    },
    urgency(board, home) * clearly,
  );
}

/** For a worker that has nothing to do: work that nobody serves, or more of it than those who are there can do soon. */
function workElsewhere(board: Board, worker: WorkerSnapshot): StageSnapshot | undefined {
  return mostUrgent(board, worker, undefined, (stage) => {
    const others = servers(board, stage);
    const messages = coming(board, worker, stage);
    const lot = lotOf(board, worker, stage);
    if (lot === 1 && available(board, worker, stage) >= 1) return gain(board, worker, stage, 1);
    if (messages < (others > 0 ? 2 * lot * others : 1)) return 0;
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
  // As if it were there: nobody else is sent for the same message.
  arrive(board, stage.name, 0);
  const place = board.places.get(worker.id);
  if (place) place.stage = stage.name;
  const stayMs = averageOf(stage, board.parameters) * Math.min(stays, messages);
  return [
    {
      worker: worker.id,
      from: worker.stage,
      to: stage.name,
      // Whoever plans twice in a moment, as two leaders may, decides the same.
      unlockAt: Math.ceil(board.at + Math.max(costMs + stayMs, board.parameters.periodMs / 2)),
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
