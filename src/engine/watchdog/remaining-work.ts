import type { StageSnapshot } from './policy.ts';

/** Messages can go in a cycle; beyond this limit, the remaining work is as good as infinite. */
const rounds = 50;

/**
 * The work that a message of each stage still needs, including this stage, in milliseconds: the mean over the stages where messages
 * go next. Stages that finish all their messages are nearest to the end.
 */
export function remainingWork(
  stages: readonly StageSnapshot[],
  averageMs: (stage: StageSnapshot) => number,
): Map<string, number> {
  const work = new Map(stages.map((stage) => [stage.name, averageMs(stage)]));
  // A chain of n stages needs n rounds from the wrong end and two from the right one.
  for (let round = 0; round < rounds; round++) {
    let changed = false;
    for (const stage of stages.toReversed()) {
      let total = averageMs(stage);
      for (const [next, share] of Object.entries(stage.next ?? {})) total += share * (work.get(next) ?? 0);
      if (Math.abs(total - (work.get(stage.name) ?? 0)) > 1e-6 * total) {
        work.set(stage.name, total);
        changed = true;
      }
    }
    if (!changed) break;
  }
  return work;
}
