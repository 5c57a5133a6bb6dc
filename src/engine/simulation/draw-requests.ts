import { seededRandom } from './chance.ts';
import type { Workload } from './workload.ts';

/** One request of a simulation. Everything random is drawn in advance, so that all policies get the same work. */
export interface SimulatedRequest {
  number: number;
  arrivesAt: number;
  /** Its stages, and how long each will take, in milliseconds. */
  steps: readonly { stage: string; ms: number }[];
}

/** All requests of a workload, in order of arrival. */
export function drawRequests(load: Workload, seed: number): SimulatedRequest[] {
  const random = seededRandom(seed);
  const stages = new Map(load.stages.map((stage) => [stage.name, stage]));
  const all = [...stages.keys()];
  const drawn: Omit<SimulatedRequest, 'number'>[] = [];
  for (const arrival of load.arrivals) {
    let at = arrival.start;
    for (let series = 0; series < arrival.series; series++) {
      for (let index = 0; index < arrival.count; index++) {
        const steps = (arrival.stages ?? all).map((name) => {
          const [least, most] = stages.get(name)?.time ?? [0, 0];
          return { stage: name, ms: (least + (most - least) * random()) * 1000 };
        });
        drawn.push({ arrivesAt: at * 1000, steps });
      }
      at += arrival.random ? -Math.log(1 - random()) * arrival.every : arrival.every;
    }
  }
  return drawn.sort((a, b) => a.arrivesAt - b.arrivesAt).map((request, number) => ({ number, ...request }));
}
