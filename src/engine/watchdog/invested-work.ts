import type { StageSnapshot } from './policy.ts';

/** Enough iterations for a chain listed backwards. */
const rounds = 50;

/**
 * The work already spent on a message when it reaches each stage, in milliseconds: the mean over the stages that messages come from.
 * Messages from outside carry no work, but their number is unknown. So where messages can go in a cycle, the result is at
 * most what all stages take together.
 */
export function investedWork(
  stages: readonly StageSnapshot[],
  averageMs: (stage: StageSnapshot) => number,
): Map<string, number> {
  const invested = new Map(stages.map((stage) => [stage.name, 0]));
  const sources = new Map<string, { stage: StageSnapshot; share: number }[]>();
  for (const stage of stages) {
    for (const [next, share] of Object.entries(stage.next ?? {})) {
      if (share > 0 && invested.has(next))
        sources.set(next, [...(sources.get(next) ?? []), { stage, share }]);
    }
  }
  const total = stages.reduce((sum, stage) => sum + averageMs(stage), 0);
  for (let round = 0; round < rounds; round++) {
    let changed = false;
    for (const [name, from] of sources) {
      const shares = from.reduce((sum, { share }) => sum + share, 0);
      const work = from.reduce(
        (sum, { stage, share }) => sum + share * ((invested.get(stage.name) ?? 0) + averageMs(stage)),
        0,
      );
      const mean = Math.min(work / shares, total);
      if (Math.abs(mean - (invested.get(name) ?? 0)) <= 1e-6 * mean) continue;
      invested.set(name, mean);
      changed = true;
    }
    if (!changed) break;
  }
  return invested;
}
