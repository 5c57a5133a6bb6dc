import type { Plan } from './policy.ts';

/** Stages whose messages still wait without a worker after the plan: their WT keeps growing. */
export function unservedStages(plan: Plan): Set<string> {
  const served = new Set(plan.assignments.map((assignment) => assignment.to));
  return new Set(
    plan.queues
      .filter(
        ({ stage, length, workers, isServed = workers > 0 || served.has(stage) }) => length > 0 && !isServed,
      )
      .map((queue) => queue.stage),
  );
}
