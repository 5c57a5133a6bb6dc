import { defaultParameters, type Policy } from '../watchdog/policy.ts';
import { unservedStages } from '../watchdog/unserved-stages.ts';
import { Agenda } from './agenda.ts';
import { drawRequests, type SimulatedRequest } from './draw-requests.ts';
import { noRecorder, type Recorder } from './recorder.ts';
import { SimulatedStages } from './simulated-stages.ts';
import { SimulatedWorker } from './simulated-worker.ts';
import type { Workload } from './workload.ts';

/** A request that waits in a queue or is being processed. */
export interface Travelling {
  request: SimulatedRequest;
  step: number;
  /** When it began to wait for this step. */
  since: number;
}

export interface Outcome {
  /** The number of requests in the workload. */
  requests: number;
  /** In the order they finished. */
  finished: { arrivedAt: number; finishedAt: number }[];
  /** How long messages waited for each stage, in milliseconds. */
  waits: Map<string, number[]>;
  switches: number;
  /** From the first arrival to the last end. */
  makespanMs: number;
  /** Shares of all workers' time. */
  workingShare: number;
  switchingShare: number;
  plans: number;
}

type Happening =
  | { kind: 'arrival'; request: SimulatedRequest }
  | { kind: 'finished'; worker: SimulatedWorker; travelling: Travelling }
  | { kind: 'reconfigured'; worker: SimulatedWorker }
  | { kind: 'retry'; worker: SimulatedWorker; stage: string }
  | { kind: 'change'; stage: string; priority: number }
  | { kind: 'plan' };

/** At the same moment, work finishes before the next plan. */
const ranks = { finished: 0, reconfigured: 1, retry: 1, arrival: 2, change: 3, plan: 4 };

/** How long a worker waits before it tries again to load the stage that it is assigned to. */
const retryMs = 10_000;

/** Ends the simulation of a policy that never does some work, when nothing has arrived or finished for this long. */
const patienceMs = 24 * 3_600_000;

/** Runs a workload under a policy in virtual time. The same seed gives the same work to every policy. */
export function simulate(load: Workload, policy: Policy, seed: number, recorder?: Recorder): Outcome {
  return simulateRequests(load, policy, drawRequests(load, seed), recorder);
}

/** The same for given requests, in order of arrival. */
export function simulateRequests(
  load: Workload,
  policy: Policy,
  requests: readonly SimulatedRequest[],
  recorder: Recorder = noRecorder,
): Outcome {
  const agenda = new Agenda<Happening>();
  const stages = new SimulatedStages(load);
  const workers = load.workers
    .flatMap((group) => Array.from({ length: group.count }, () => group))
    .map((group, index) => new SimulatedWorker(`worker${index + 1}`, group, load));
  const parameters = {
    ...defaultParameters,
    minimumMessages: load.minimumMessages,
    reconfigurationMs: load.reconfiguration * 1000,
    periodMs: load.planning * 1000,
  };
  const outcome: Outcome = {
    requests: requests.length,
    finished: [],
    waits: new Map(load.stages.map((stage) => [stage.name, []])),
    switches: 0,
    makespanMs: 0,
    workingShare: 0,
    switchingShare: 0,
    plans: 0,
  };

  for (const request of requests) agenda.add(request.arrivesAt, ranks.arrival, { kind: 'arrival', request });
  for (const { at, ...change } of load.changes)
    agenda.add(at * 1000, ranks.change, { kind: 'change', ...change });
  agenda.add(0, ranks.plan, { kind: 'plan' });

  /** The worker's next step, if it has no message in progress. */
  const goOn = (worker: SimulatedWorker, now: number) => {
    if (worker.isBusy || worker.assigned === null) return;
    if (worker.serving !== worker.assigned) {
      const ms = worker.beginSwitch(now);
      outcome.switches++;
      recorder.span(worker.id, now, worker.assigned, 'switching');
      agenda.add(now + ms, ranks.reconfigured, { kind: 'reconfigured', worker });
      return;
    }
    const travelling = stages.take(worker.assigned);
    if (!travelling) return recorder.span(worker.id, now, worker.assigned, 'idle');
    const { ms = 0 } = travelling.request.steps[travelling.step] ?? {};
    outcome.waits.get(worker.assigned)?.push(now - travelling.since);
    worker.begin(travelling, now);
    recorder.span(worker.id, now, worker.assigned, 'serving');
    recorder.length(worker.assigned, now, stages.length(worker.assigned));
    agenda.add(now + ms, ranks.finished, { kind: 'finished', worker, travelling });
  };

  const enqueue = (travelling: Travelling, now: number) => {
    const stage = stages.put(travelling);
    recorder.length(stage, now, stages.length(stage));
    const free = workers.find((each) => each.assigned === stage && each.serving === stage && !each.isBusy);
    if (free) goOn(free, now);
  };

  const happens = (what: Happening, now: number) => {
    switch (what.kind) {
      case 'arrival':
        return enqueue({ request: what.request, step: 0, since: now }, now);
      case 'finished': {
        const { worker, travelling } = what;
        worker.finish(now);
        stages.finish(travelling);
        const step = travelling.step + 1;
        const { request } = travelling;
        if (step < request.steps.length) enqueue({ request, step, since: now }, now);
        else outcome.finished.push({ arrivedAt: request.arrivesAt, finishedAt: now });
        return goOn(worker, now);
      }
      case 'reconfigured': {
        const { worker } = what;
        const failed = worker.endSwitch(now);
        if (failed === undefined || failed !== worker.assigned) return goOn(worker, now);
        recorder.span(worker.id, now, failed, 'failed');
        return agenda.add(now + retryMs, ranks.retry, { kind: 'retry', worker, stage: failed });
      }
      case 'retry':
        return what.worker.assigned === what.stage ? goOn(what.worker, now) : undefined;
      case 'change':
        return stages.setPriority(what.stage, what.priority);
      case 'plan': {
        const plan = policy(
          { at: now, stages: stages.snapshot(), workers: workers.map((each) => each.snapshot(now)) },
          parameters,
        );
        outcome.plans++;
        for (const { worker: id, to, unlockAt } of plan.assignments) {
          const worker = workers.find((each) => each.id === id);
          worker?.assign(to, unlockAt);
          if (worker) goOn(worker, now);
        }
        stages.noteUnserved(unservedStages(plan), now);
        agenda.add(now + load.planning * 1000, ranks.plan, { kind: 'plan' });
      }
    }
  };

  let now = 0;
  let lastNews = 0;
  while (outcome.finished.length < requests.length) {
    const next = agenda.next();
    if (!next) break;
    now = next.at;
    if (next.what.kind === 'arrival' || next.what.kind === 'finished') lastNews = now;
    else if (now - lastNews > patienceMs) break;
    happens(next.what, now);
  }
  recorder.end(now);
  outcome.makespanMs = now - (requests[0]?.arrivesAt ?? 0);
  const total = outcome.makespanMs * workers.length;
  outcome.workingShare = sum(workers.map((each) => each.workedMs)) / total;
  outcome.switchingShare = sum(workers.map((each) => each.switchedMs)) / total;
  return outcome;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
