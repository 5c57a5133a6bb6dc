import { compareTexts, errorRate } from '../../src/transcription/evaluation/compare.ts';
import { toText } from '../../src/transcription/formats/text.ts';
import { lookAgain } from '../../src/transcription/recognise/look-again.ts';
import { finish } from '../../src/transcription/recognise/read-carefully.ts';
import type { Thresholds } from '../../src/transcription/recognise/thresholds.ts';
import type { Readings } from './readings.ts';
import type { RealPage } from './real-pages.ts';

/** A page with all its readings, and what our stages make of them under given thresholds. */
export interface Candidate {
  real: RealPage;
  readings: Readings;
  /** CER by hand. */
  hand: number;
  judge(thresholds: Thresholds): Promise<Judged>;
}

export interface Judged {
  /** CER. */
  errors: number;
  cpu: number;
  text: string;
}

const alike = { sameMarks: true, modernLetters: true };
export const rateOf = (truth: string, text: string) => errorRate(compareTexts(truth, text, alike).characters);

export function candidate(real: RealPage, readings: Readings): Candidate {
  const rates = new Map<string, number>();
  const options = { language: real.language };
  const judge = async (thresholds: Thresholds): Promise<Judged> => {
    let { cpu } = readings.first;
    const { page } = await lookAgain(readings.first.page, {
      ...{ isPrepared: readings.isPrepared, language: real.language, thresholds, log: () => {} },
      async look(name) {
        const view = readings.views[name];
        cpu += view?.cpu ?? 0;
        return view;
      },
    });
    const text = toText(finish(structuredClone(page), { options }));
    // Most thresholds lead to the same text, and comparing a newspaper page takes long.
    const errors = rates.get(text) ?? rateOf(real.truth, text);
    rates.set(text, errors);
    return { errors, cpu, text };
  };
  return { real, readings, hand: rateOf(real.truth, readings.hand.text), judge };
}

const tried: { [Name in keyof Thresholds]: readonly number[] } = {
  sureEnough: [0.75, 0.8, 0.84, 0.87],
  sureOfFraktur: [0.7, 0.75, 0.8, 0.87],
  sureOfPrepared: [0.86, 0.9, 0.94],
  hopeless: [0.5, 0.6, 0.7],
  // These two hardly matter.
  clearly: [0.02],
  much: [0.08],
  believed: [0.75, 0.85],
};

/** All combinations of the values that are tried. */
export function grid(): Thresholds[] {
  const names = Object.keys(tried) as (keyof Thresholds)[];
  let all: Partial<Thresholds>[] = [{}];
  for (const name of names)
    all = all.flatMap((some) => tried[name].map((value) => ({ ...some, [name]: value })));
  return all as Thresholds[];
}

/** Being worse than by hand counts twice, and more CPU than this is not allowed. */
const mostCpu = 1.6;

/** Of all results of a grid, the index of the thresholds that are best for these pages. */
export function best(pages: readonly { hand: number; handCpu: number; judged: readonly Judged[] }[]): number {
  const handCpu = pages.reduce((sum, one) => sum + one.handCpu, 0);
  let winner = 0;
  let lowest = Infinity;
  for (const index of pages[0]?.judged.keys() ?? []) {
    const cpu = pages.reduce((sum, { judged }) => sum + (judged[index]?.cpu ?? 0), 0);
    const harm = pages.reduce((sum, { judged, hand }) => {
      const errors = judged[index]?.errors ?? Infinity;
      return sum + errors + Math.max(0, errors - hand);
    }, 0);
    // Where two are equally good, the cheaper one.
    const cost = harm / pages.length + (cpu > mostCpu * handCpu ? 1 : 0) + (1e-3 * cpu) / handCpu;
    if (cost < lowest) [winner, lowest] = [index, cost];
  }
  return winner;
}
