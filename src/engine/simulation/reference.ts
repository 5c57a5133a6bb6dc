import { Agenda } from './agenda.ts';
import { drawRequests, type SimulatedRequest } from './draw-requests.ts';
import type { Workload } from './workload.ts';

type Happening =
  | { kind: 'ready'; request: SimulatedRequest; step: number }
  | { kind: 'finished'; worker: number; request: SimulatedRequest; step: number }
  | { kind: 'change'; stage: string; priority: number };

const ranks = { finished: 0, ready: 1, change: 2 };

/**
 * The ideal without switching costs and planning: a free worker takes the oldest request that it can serve. Returns the
 * mean time in the system, in milliseconds.
 */
export function referenceMean(load: Workload, seed: number): number {
  const requests = drawRequests(load, seed);
  const agenda = new Agenda<Happening>();
  const labels = new Map(load.stages.map((stage) => [stage.name, stage.labels]));
  const priorities = new Map(load.stages.map((stage) => [stage.name, stage.priority]));
  const workers = load.workers.flatMap(({ count, labels }) => Array.from({ length: count }, () => labels));
  // Workers with the fewest abilities go first, so that the others stay free for work that only they can do.
  const free = new Set(
    [...workers.keys()].sort((a, b) => (workers[a]?.length ?? 0) - (workers[b]?.length ?? 0)),
  );
  const waiting: { request: SimulatedRequest; step: number }[] = [];
  let total = 0;
  let finished = 0;

  for (const request of requests)
    agenda.add(request.arrivesAt, ranks.ready, { kind: 'ready', request, step: 0 });
  for (const { at, ...change } of load.changes)
    agenda.add(at * 1000, ranks.change, { kind: 'change', ...change });

  for (let next = agenda.next(); next; next = agenda.next()) {
    const { at, what } = next;
    if (what.kind === 'change') priorities.set(what.stage, what.priority);
    else if (what.kind === 'finished') {
      free.add(what.worker);
      if (what.step + 1 === what.request.steps.length) {
        finished++;
        total += at - what.request.arrivesAt;
      } else insert(waiting, { request: what.request, step: what.step + 1 });
    } else insert(waiting, { request: what.request, step: what.step });
    // Wait for everything at the same moment: otherwise a later request could be taken before an earlier one.
    if (free.size > 0) give(at);
  }
  return finished === 0 ? 0 : total / finished;

  function give(at: number): void {
    for (let index = 0; index < waiting.length && free.size > 0; ) {
      const entry = waiting[index];
      const step = entry?.request.steps[entry.step];
      const worker = step && (priorities.get(step.stage) ?? 0) >= 0 ? freeFor(step.stage) : undefined;
      if (!entry || !step || worker === undefined) {
        index++;
        continue;
      }
      waiting.splice(index, 1);
      free.delete(worker);
      agenda.add(at + step.ms, ranks.finished, { ...entry, kind: 'finished', worker });
    }
  }

  function freeFor(stage: string): number | undefined {
    for (const worker of free) {
      if (labels.get(stage)?.every((label) => workers[worker]?.includes(label))) return worker;
    }
    return undefined;
  }
}

/** Keeps the order of arrival in the system. */
function insert<T extends { request: SimulatedRequest }>(waiting: T[], entry: T): void {
  let low = 0;
  let high = waiting.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((waiting[middle]?.request.number ?? 0) < entry.request.number) low = middle + 1;
    else high = middle;
  }
  waiting.splice(low, 0, entry);
}
