import { type Comparable, more } from '../comparable.ts';
import { perSecond, printTable } from './report.ts';
import { type Contender, concurrencies, jobs, median, type Phase, phases } from './work.ts';

export interface Figure {
  name: string;
  terms: string;
  concurrency: number;
  phase: Phase;
  /** Jobs, median of the rounds. */
  perSecond: number;
}

/** What a contest measured. */
export class Figures {
  readonly all: readonly Figure[];

  constructor(all: readonly Figure[]) {
    this.all = all;
  }

  rate(name: string, concurrency: number, phase: Phase = 'end to end'): number {
    const found = this.all.find(
      (each) => each.name === name && each.concurrency === concurrency && each.phase === phase,
    );
    return found?.perSecond ?? Number.NaN;
  }

  /** The fastest contender whose name begins with this. */
  best(beginning: string, concurrency: number, phase: Phase = 'end to end'): number {
    const names = this.all.filter(({ name }) => name.startsWith(beginning)).map(({ name }) => name);
    return Math.max(...names.map((name) => this.rate(name, concurrency, phase)));
  }

  comparable(): Comparable[] {
    return this.all.map(({ name, concurrency, phase, perSecond: rate }) =>
      more(`${name}, ${phase}, concurrency ${concurrency}, jobs/s`, rate),
    );
  }

  print(title: string): void {
    for (const phase of phases) {
      const figures = this.all.filter((each) => each.phase === phase);
      if (figures.length === 0) continue;
      console.log(`\n${title}, ${phase}, jobs per second`);
      const names = [...new Set(figures.map(({ name }) => name))];
      printTable([
        ['', ...concurrencies.map((concurrency) => `concurrency ${concurrency}`)],
        ...names.map((name) => [
          name,
          ...concurrencies.map((each) => perSecond(this.rate(name, each, phase), 1)),
        ]),
      ]);
    }
  }
}

/**
 * Runs each contender once per round, so that other load on the machine affects all alike, and takes medians. The first
 * round only warms up.
 */
export async function contest(contenders: readonly Contender[], rounds: number): Promise<Figures> {
  for (const { name, terms } of contenders) console.log(`${name}: ${terms}`);
  const taken = new Map<string, number[]>();
  const keyOf = (name: string, concurrency: number, phase: Phase) => `${name} ${concurrency} ${phase}`;
  for (let round = 0; round <= rounds; round++) {
    for (const concurrency of concurrencies) {
      for (const { name, run, jobs: count = jobs } of contenders) {
        const timings = await run(concurrency);
        const measured = phases.filter((phase) => timings[phase] !== undefined);
        const what = round === 0 ? 'warm-up' : `round ${round} of ${rounds}`;
        const rates = measured.map((phase) => `${phase} ${perSecond(count, timings[phase] ?? 0)}/s`);
        console.log(`${what}: ${name}, concurrency ${concurrency}: ${rates.join(', ')}`);
        if (round === 0) continue;
        for (const phase of measured) {
          const key = keyOf(name, concurrency, phase);
          taken.set(key, [...(taken.get(key) ?? []), timings[phase] ?? Number.NaN]);
        }
      }
    }
  }
  const figures = concurrencies.flatMap((concurrency) =>
    contenders.flatMap(({ name, terms, jobs: count = jobs }) =>
      phases.flatMap((phase) => {
        const seconds = taken.get(keyOf(name, concurrency, phase));
        return seconds ? [{ name, terms, concurrency, phase, perSecond: count / median(seconds) }] : [];
      }),
    ),
  );
  return new Figures(figures);
}
