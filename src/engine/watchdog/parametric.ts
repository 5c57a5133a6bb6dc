import type { Sentence } from '../ground/sentence.ts';
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
import { sayParametric, type TargetQueue } from './sentences.ts';

/**
 * Priority by parameters of the queue: PP = (L * AMT / (NW + 1) + WT) * (AP + 1), P = PP / sum of all PP.
 *
 * 1. Idle workers go, one after another, to the queue of highest priority; priorities are recomputed after each.
 * 2. If no worker was idle, exactly one busy worker that may be moved goes from the lowest queue to the highest.
 * 3. If no worker may be moved either, nothing changes.
 */
export const parametric: Policy = (snapshot, parameters) => {
  const board = newBoard(snapshot);
  const queues = numbers(snapshot, parameters, board);
  const assignments: Assignment[] = [];
  for (
    let next = placeIdle(snapshot, parameters, board);
    next;
    next = placeIdle(snapshot, parameters, board)
  ) {
    assignments.push(next);
  }
  if (assignments.length === 0) {
    const move = moveOne(snapshot, parameters, board, queues);
    if (move) assignments.push(move);
  }
  return { assignments, queues } satisfies Plan;
};

/** Where the workers are while the plan is being made. */
interface Board {
  stages: ReadonlyMap<string, StageSnapshot>;
  /** NW: workers that really serve the stage, including pinned ones. */
  serving: Map<string, number>;
  idle: WorkerSnapshot[];
  busy: WorkerSnapshot[];
}

function newBoard(snapshot: Snapshot): Board {
  const stages = new Map(snapshot.stages.map((stage) => [stage.name, stage]));
  const board: Board = { stages, serving: new Map(), idle: [], busy: [] };
  // Workers with the fewest labels first: the more capable are kept for stages that need them.
  const workers = snapshot.workers
    .filter((worker) => worker.alive && worker.enabled)
    .sort((a, b) => a.labels.length - b.labels.length || compareText(a.id, b.id));
  for (const worker of workers) {
    const stage = worker.stage === null ? undefined : stages.get(worker.stage);
    if (stage) board.serving.set(stage.name, (board.serving.get(stage.name) ?? 0) + 1);
    if (worker.pinned) continue;
    (isIdle(worker, stage) ? board.idle : board.busy).push(worker);
  }
  return board;
}

/** A failed worker is free for another stage: otherwise a stage that can't be loaded would use up all workers. */
function isIdle(worker: WorkerSnapshot, stage: StageSnapshot | undefined): boolean {
  if (!stage || worker.failed) return true;
  return waiting(stage) === 0 && (worker.inFlight === 0 || stage.inFlight === 0);
}

function placeIdle(snapshot: Snapshot, parameters: PolicyParameters, board: Board): Assignment | undefined {
  for (const queue of byPriority(numbers(snapshot, parameters, board), board)) {
    const stage = board.stages.get(queue.stage);
    const worker = board.idle.find((each) => each.stage !== queue.stage && mayServe(each, stage));
    if (!worker) continue;
    board.idle.splice(board.idle.indexOf(worker), 1);
    board.serving.set(queue.stage, queue.workers + 1);
    const left = worker.stage ?? '';
    board.serving.set(left, (board.serving.get(left) ?? 1) - 1);
    return assign(worker, queue, snapshot.at, parameters, (to) => sayParametric('watchdog.idle', to));
  }
  return undefined;
}

function moveOne(
  snapshot: Snapshot,
  parameters: PolicyParameters,
  board: Board,
  queues: readonly QueueNumbers[],
): Assignment | undefined {
  const upwards = queues.toSorted((a, b) => a.parametric - b.parametric || compareText(a.stage, b.stage));
  // Without labels, only the first target counts: a worker for the second could have gone to the first.
  for (const target of byPriority(queues, board)) {
    for (const source of upwards) {
      if (source.parametric >= target.parametric) break;
      const worker = board.busy.find(
        (candidate) =>
          candidate.stage === source.stage &&
          (candidate.unlockAt <= snapshot.at || nothingWaits(board, source)) &&
          mayServe(candidate, board.stages.get(target.stage)),
      );
      if (worker)
        return assign(worker, target, snapshot.at, parameters, (to) =>
          sayParametric('watchdog.lower-priority', {
            ...to,
            from: source.stage,
            fromPriority: source.relative,
          }),
        );
    }
  }
  return undefined;
}

function numbers(snapshot: Snapshot, parameters: PolicyParameters, board: Board): QueueNumbers[] {
  const all = snapshot.stages.map((stage) => {
    const workers = board.serving.get(stage.name) ?? 0;
    const length = inQueue(stage);
    // At least a millisecond: a queue with messages must not have priority 0 because they are quick.
    const averageMs = Math.max(1, stage.averageMs ?? parameters.unknownAverageMs);
    const unserved = length > 0 && workers === 0;
    const waitingMs = unserved ? Math.max(0, snapshot.at - (stage.waitingSince ?? snapshot.at)) : 0;
    const seconds = ((length * averageMs) / (workers + 1) + waitingMs) / 1000;
    const parametric = length === 0 ? 0 : seconds * (stage.priority + 1);
    return {
      stage: stage.name,
      length,
      averageMs,
      workers,
      waitingMs,
      priority: stage.priority,
      parametric,
      relative: 0,
    };
  });
  const total = all.reduce((sum, queue) => sum + queue.parametric, 0);
  return all.map((queue) => ({ ...queue, relative: total > 0 ? queue.parametric / total : 0 }));
}

/** Queues that should get a worker, the most urgent first. */
function byPriority(queues: readonly QueueNumbers[], board: Board): QueueNumbers[] {
  return queues
    .filter((queue) => queue.parametric > 0 && !nothingWaits(board, queue))
    .sort((a, b) => b.parametric - a.parametric || compareText(a.stage, b.stage));
}

function assign(
  worker: WorkerSnapshot,
  queue: QueueNumbers,
  at: number,
  parameters: PolicyParameters,
  why: (to: TargetQueue) => Sentence,
): Assignment {
  const { stage: to, relative: priority, length, workers: serving } = queue;
  const { message, code, parameters: values } = why({ to, priority, length, serving });
  return {
    worker: worker.id,
    from: worker.stage,
    to: queue.stage,
    unlockAt: at + Math.ceil(queue.averageMs * parameters.minimumMessages) + parameters.reconfigurationMs,
    reason: message,
    sentence: { code, parameters: values },
  };
}

/** L: the formula took it from RabbitMQ's management, which also counts messages in progress. */
function inQueue(stage: StageSnapshot): number {
  return stage.paused ? 0 : stage.length + stage.inFlight;
}

function nothingWaits(board: Board, queue: QueueNumbers): boolean {
  const stage = board.stages.get(queue.stage);
  return !stage || waiting(stage) === 0;
}

function waiting(stage: StageSnapshot): number {
  return stage.paused ? 0 : stage.length;
}

function mayServe(worker: WorkerSnapshot, stage: StageSnapshot | undefined): boolean {
  if (!stage || worker.unable?.includes(stage.name)) return false;
  return stage.labels.every((label) => worker.labels.includes(label));
}

// Not localeCompare: a plan must not depend on the machine's language.
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
