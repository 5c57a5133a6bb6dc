import type { Sentence } from '../ground/sentence.ts';
import {
  arrive,
  arriveAtItsStage,
  averageOf,
  type Board,
  failedLoads,
  freeInMs,
  homeOf,
  isLocked,
  isOpen,
  isServed,
  leave,
  mayServe,
  newBoard,
  servers,
  waitedMs,
  waiting,
} from './flow-board.ts';
import { available, coming, fill, gain, lotOf, switchMs, urgency, urgencyAt } from './flow-reckoning.ts';
import type { Assignment, Plan, Policy, QueueNumbers, StageSnapshot, WorkerSnapshot } from './policy.ts';
import { type Destination, sayFlow } from './sentences.ts';

/** How much more urgent another stage must be before a worker leaves work behind: averages are never exact. */
const clearly = 1.1;
/** A worker leaves a mid-pipeline stage only for a lot this many times larger: its messages have already cost work. */
const halfDone = 1.5;

/**
 * Aims at the lowest mean time in the system: finish what is nearest to its end first, because a finished request waits no more, and
 * never make a switch that costs more than it gains.
 *
 * 1. A stage that has been unserved for `patienceMs` gets a worker before anything else is decided.
 * 2. A worker that will run out of work goes where work waits without a worker, nearest to the end first; to a stage
 *    that is already served, only for two lots.
 * 3. A worker with work leaves it only for a whole lot, at a stage that is clearly nearer to the end. The size of a lot
 *    follows from the cost of the switch: a free switch is worth making for every message. A worker does not leave work
 *    that few can do for work that others can do too.
 *
 * Workers are placed one after another, in the order in which they will be free, each with knowledge of those before it, so
 * they never all run to the same queue.
 *
 * No stage starves. An open stage with work and with a worker that can load it is served again after at most `patienceMs`
 * and one period; plus, for each stage that has waited longer, the message in progress, the switch and a lot; plus, for each
 * worker that fails to load it, the message in progress, the failed attempt and a period. More workers make it less. A worker that
 * failed to load a stage does not count there and is not sent there for a minute; after that, those that failed less often go
 * first. So each worker fails once before one fails twice, and a failed attempt does not restart the patience.
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

/** Sends one worker to each stage that has waited too long, the longest-waiting stage first. The worker stays for a lot. */
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
          failedLoads(a, stage) - failedLoads(b, stage) ||
          urgencyAt(board, a) - urgencyAt(board, b) ||
          switchMs(board, a, stage) - switchMs(board, b, stage),
      )[0];
    if (!worker) continue;
    taken.add(worker.id);
    const seconds = Math.round(waitedMs(board, stage) / 1000);
    const why = (there: Destination) => sayFlow('watchdog.starving', { ...there, seconds });
    assignments.push(...assign(board, worker, stage, why, lotOf(board, worker, stage)));
  }
  return assignments;
}

function decide(board: Board, worker: WorkerSnapshot): Assignment[] | undefined {
  if (isLocked(board, worker)) return undefined;
  const home = homeOf(board, worker);
  // During the decision, the worker counts nowhere.
  leave(board, worker);
  const hasWork = home !== undefined && fill(board, home, available(board, worker, home)) >= 1;
  const target = hasWork
    ? lotElsewhere(board, worker, home)
    : (workElsewhere(board, worker) ?? anyWork(board, worker));
  arriveAtItsStage(board, worker);
  // The worker was about to go elsewhere, but its stage has work again: it stays.
  if (!target)
    return hasWork && worker.stage !== home.name
      ? assign(board, worker, home, (there) => sayFlow('watchdog.work-again', there))
      : undefined;
  if (target.name === worker.stage) return undefined;
  return assign(
    board,
    worker,
    target,
    hasWork ? (there) => sayFlow('watchdog.nearer-end', { ...there, from: home.name }) : isFree(home),
  );
}

type Why = (there: Destination) => Sentence;

function isFree(home: StageSnapshot | undefined): Why {
  if (!home) return (there) => sayFlow('watchdog.no-stage', there);
  const [from, left] = [home.name, waiting(home)];
  if (left === 0) return (there) => sayFlow('watchdog.nothing-waits', { ...there, from });
  return (there) => sayFlow('watchdog.others-suffice', { ...there, from, left });
}

/** For a worker with work: a clearly more urgent stage where a whole lot waits. */
function lotElsewhere(board: Board, worker: WorkerSnapshot, home: StageSnapshot): StageSnapshot | undefined {
  const isHalfDone = board.fed.has(home.name) && servers(board, home) === 0;
  return mostUrgent(
    board,
    worker,
    home,
    (stage) => {
      // Don't leave work that few workers can do for work that others can do too.
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

/** For an idle worker: work without a worker, or more work than the present workers can do soon. */
function workElsewhere(board: Board, worker: WorkerSnapshot): StageSnapshot | undefined {
  return mostUrgent(board, worker, undefined, (stage) => {
    const others = servers(board, stage);
    const messages = coming(board, worker, stage);
    const lot = lotOf(board, worker, stage);
    if (lot === 1 && available(board, worker, stage) >= 1) return gain(board, worker, stage, 1);
    const isHome = stage === homeOf(board, worker);
    // The lot at home is computed differently from the one on the way there: a worker with free switches would come and go.
    const wanted = others === 0 || (isHome && worker.coldMs === 0) ? 1 : 2 * lot * others;
    if (messages < wanted) return 0;
    return gain(board, worker, stage, messages / (1 + others));
  });
}

/** Better than nothing: any work beyond what the present workers will take next. */
function anyWork(board: Board, worker: WorkerSnapshot): StageSnapshot | undefined {
  return mostUrgent(board, worker, undefined, (stage) => {
    const messages = available(board, worker, stage);
    if (messages > 0) return gain(board, worker, stage, messages);
    // A worker that has never served a stage prepares for where it will be needed first.
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
    if (isBetterLeftToOthers(board, worker, stage)) continue;
    const found = worth(stage);
    if (found <= most) continue;
    best = stage;
    most = found;
  }
  return best;
}

/** Whether the worker failed to load the stage before, and an idle worker failed less often. */
function isBetterLeftToOthers(board: Board, worker: WorkerSnapshot, stage: StageSnapshot): boolean {
  const failures = failedLoads(worker, stage);
  return (
    failures > 0 &&
    board.movable.some(
      (other) =>
        failedLoads(other, stage) < failures &&
        mayServe(other, stage) &&
        !isLocked(board, other) &&
        urgencyAt(board, other) === 0,
    )
  );
}

function assign(
  board: Board,
  worker: WorkerSnapshot,
  stage: StageSnapshot,
  why: Why,
  stays = 0,
): Assignment[] {
  const lot = lotOf(board, worker, stage);
  const costMs = switchMs(board, worker, stage);
  const messages = waiting(stage);
  const others = servers(board, stage);
  leave(board, worker);
  // Count it as there already, so that no other worker is sent for the same message.
  arrive(board, stage.name, 0);
  const place = board.places.get(worker.id);
  if (place) place.stage = stage.name;
  // Its stay for a lot begins when the message in progress is finished.
  const stayMs =
    stays > 0 ? freeInMs(board, worker) + averageOf(stage, board.parameters) * Math.min(stays, messages) : 0;
  const { message, code, parameters } = why({ to: stage.name, waiting: messages, serving: others, lot });
  return [
    {
      worker: worker.id,
      from: worker.stage,
      to: stage.name,
      // Two plans for the same moment, as two leaders may make, decide the same.
      unlockAt: Math.ceil(board.at + Math.max(costMs + stayMs, board.parameters.periodMs / 2)),
      reason: message,
      sentence: { code, parameters },
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
    isServed: isServed(board, stage),
    waitingMs: Math.max(0, waitedMs(board, stage)),
    priority: stage.priority,
    parametric: own,
    relative: total > 0 ? own / total : 0,
    details: { remainingMs: Math.round(board.work.get(stage.name) ?? 0) },
  };
}
