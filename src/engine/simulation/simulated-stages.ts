import type { StageSnapshot } from '../watchdog/policy.ts';
import type { Travelling } from './simulate.ts';
import type { Workload } from './workload.ts';

interface SimulatedStage {
  definition: Workload['stages'][number];
  priority: number;
  queue: Travelling[];
  /** The index at which the queue starts in its array: shifting a long array is slow. */
  head: number;
  inFlight: number;
  average: number | null;
  count: number;
  waitingSince: number | null;
  /** How often messages went on to each stage. */
  next: Map<string, number>;
}

/** The queues of a simulation, and what the watchdog knows about them. */
export class SimulatedStages {
  readonly #stages: Map<string, SimulatedStage>;
  readonly #averages: Workload['averages'];

  constructor(load: Workload) {
    this.#averages = load.averages;
    const { initial } = load.averages;
    this.#stages = new Map(
      load.stages.map((definition) => [
        definition.name,
        {
          definition,
          priority: definition.priority,
          queue: [],
          head: 0,
          inFlight: 0,
          average: initial === undefined ? null : initial * 1000,
          count: 0,
          waitingSince: null,
          next: new Map(),
        },
      ]),
    );
  }

  /** Returns the stage that it waits for now. */
  put(travelling: Travelling): string {
    const name = stageOf(travelling);
    this.#get(name).queue.push(travelling);
    return name;
  }

  take(name: string): Travelling | undefined {
    const stage = this.#get(name);
    const first = stage.queue[stage.head];
    if (!first) return undefined;
    stage.head++;
    stage.inFlight++;
    if (stage.head > 1000 && stage.head * 2 > stage.queue.length) {
      stage.queue.splice(0, stage.head);
      stage.head = 0;
    }
    return first;
  }

  finish(travelling: Travelling): void {
    const step = travelling.request.steps[travelling.step];
    if (!step) return;
    const stage = this.#get(step.stage);
    stage.inFlight--;
    stage.count++;
    const old = stage.average;
    if (old === null) stage.average = step.ms;
    else if (this.#averages.rule === 'halving') stage.average = (old + step.ms) / 2;
    else stage.average = old + (step.ms - old) / Math.min(stage.count, 1000);
    this.#went(step.stage, travelling.request.steps[travelling.step + 1]?.stage);
  }

  length(name: string): number {
    const { queue, head } = this.#get(name);
    return queue.length - head;
  }

  setPriority(name: string, priority: number): void {
    this.#get(name).priority = priority;
  }

  noteUnserved(unserved: ReadonlySet<string>, now: number): void {
    for (const [name, stage] of this.#stages) {
      stage.waitingSince = unserved.has(name) ? (stage.waitingSince ?? now) : null;
    }
  }

  snapshot(): StageSnapshot[] {
    return [...this.#stages.values()].map((stage) => ({
      name: stage.definition.name,
      priority: stage.priority,
      labels: stage.definition.labels,
      length: stage.queue.length - stage.head,
      inFlight: stage.inFlight,
      paused: false,
      averageMs: stage.average === null ? null : stage.average * this.#averages.factor,
      waitingSince: stage.waitingSince,
      next: shares(stage.next),
    }));
  }

  #went(from: string, to: string | undefined): void {
    const { next } = this.#get(from);
    next.set(to ?? '', (next.get(to ?? '') ?? 0) + 1);
  }

  #get(name: string): SimulatedStage {
    const stage = this.#stages.get(name);
    if (!stage) throw new Error(`there is no stage ${name}`);
    return stage;
  }
}

function stageOf({ request, step }: Travelling): string {
  return request.steps[step]?.stage ?? '';
}

function shares(counts: ReadonlyMap<string, number>): Record<string, number> {
  let total = 0;
  for (const count of counts.values()) total += count;
  return Object.fromEntries(
    [...counts].filter(([name]) => name !== '').map(([name, count]) => [name, count / total]),
  );
}
