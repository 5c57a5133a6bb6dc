import type { Plan } from './policy.ts';

/** Stages whose messages wait with nobody serving them, once the plan is carried out: their WT runs on. */
export function unservedStages(plan: Plan): Set<string> {
  const served = new Set(plan.assignments.map((assignment) => assignment.to));
  return new Set(
    plan.queues
      .filter((queue) => queue.length > 0 && queue.workers === 0 && !served.has(queue.stage))
      .map((queue) => queue.stage),
  );
}
