import type { Comparable } from '../comparable.ts';
import { median } from '../engine/work.ts';

/** One run of each tree, next to each other in time. */
export interface Round {
  before: readonly Comparable[];
  after: readonly Comparable[];
}

export interface Ratio {
  name: string;
  /** Medians of the rounds. */
  before: number;
  after: number;
  /** The median of the rounds' ratios. Above 1 is better, whether the figure is a rate or a time. */
  ratio: number;
  each: number[];
}

/**
 * Figures that both trees have are compared within each round: what else the machine does changes both alike.
 */
export function ratiosOf(rounds: readonly Round[]): {
  ratios: Ratio[];
  onlyBefore: string[];
  onlyAfter: string[];
} {
  const names = (side: keyof Round) => [
    ...new Set(rounds.flatMap((round) => round[side].map(({ name }) => name))),
  ];
  const [before, after] = [names('before'), names('after')];
  const ratios = after
    .filter((name) => before.includes(name))
    .map((name) => {
      const pairs = rounds.flatMap((round) => {
        const [old, own] = [find(round.before, name), find(round.after, name)];
        return old && own ? [{ old: old.value, own: own.value, better: own.better }] : [];
      });
      const each = pairs.map(({ old, own, better }) => quotient(better === 'more' ? [own, old] : [old, own]));
      return {
        name,
        before: median(pairs.map(({ old }) => old)),
        after: median(pairs.map(({ own }) => own)),
        ratio: median(each),
        each,
      };
    });
  return {
    ratios,
    onlyBefore: before.filter((name) => !after.includes(name)),
    onlyAfter: after.filter((name) => !before.includes(name)),
  };
}

/** Nothing against nothing is the same. */
function quotient([above, below]: [above: number, below: number]): number {
  return above === below ? 1 : above / below;
}

function find(figures: readonly Comparable[], name: string): Comparable | undefined {
  return figures.find((each) => each.name === name);
}
