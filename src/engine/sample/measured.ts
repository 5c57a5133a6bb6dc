import type { Sample } from './sample.ts';

/** A number worth keeping: `queue.length/read`, `mail.sent`. */
export interface Measured {
  /** The name of the series: what is measured, and after a slash of what. */
  name: string;
  /** `level`: how much there is now. `count`: how much was added since the last time. */
  kind: 'level' | 'count';
  value: number;
  /** Only this user (and administrators) may see it; undefined = everyone who may read. */
  owner?: string | undefined;
}

/** What a house reports. A `total` only grows: what was added since the last time is counted. */
export type Reported = Omit<Measured, 'kind'> & { kind: 'level' | 'total' };

/** The levels of a sample. */
export function measuredOf({ at, queues, workers }: Sample): Measured[] {
  const level = (name: string, value: number, owner?: string): Measured[] =>
    value > 0 ? [{ name, kind: 'level', value, owner }] : [];
  const here = workers.filter(({ state }) => state !== 'DEAD' && state !== 'FAILED');
  return [
    ...level('workers.here', here.length),
    ...level('workers.busy', here.filter(({ inFlight = 0 }) => inFlight > 0).length),
    ...queues.flatMap(({ name, owner, ready = 0, backlog = 0, dead = 0, oldestAt = at }) => [
      ...level(`queue.length/${name}`, ready + backlog, owner),
      ...level(`queue.ageSeconds/${name}`, Math.round((at - oldestAt) / 1000), owner),
      ...level(`queue.dead/${name}`, dead, owner),
    ]),
  ];
}

/** What workers have finished. Their time divided by their number is the mean; divided by the time that has passed, how many were at work. */
export function measuredWork(
  finished: Readonly<Record<string, { count: number; totalMs: number }>>,
): Measured[] {
  return Object.entries(finished).flatMap(([stage, { count, totalMs }]): Measured[] => [
    { name: `stage.finished/${stage}`, kind: 'count', value: count },
    { name: `stage.workMs/${stage}`, kind: 'count', value: Math.round(totalMs) },
  ]);
}

/** Turns totals into counts. */
export class Totals {
  #last: Map<string, number> | undefined;

  add(reported: readonly Reported[]): Measured[] {
    const last = this.#last;
    this.#last = new Map(
      reported.filter(({ kind }) => kind === 'total').map(({ name, value }) => [name, value]),
    );
    return reported.flatMap((one): Measured[] => {
      if (one.kind === 'level') return one.value === 0 ? [] : [{ ...one, kind: 'level' }];
      // At the first look, and of a total that shrank, nobody knows when it was counted.
      const value = one.value - (last?.get(one.name) ?? one.value);
      return value > 0 ? [{ ...one, kind: 'count', value }] : [];
    });
  }
}
