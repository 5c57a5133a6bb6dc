/**
 * What the best of all policies could reach on `seed` at 10 s a switch: a Markov decision process, solved by value
 * iteration. It shows how much of a wanted figure a better policy could gain, and how much no policy can reach.
 *
 * Model. Time goes in steps of 5 s. Requests come faster than they are done, so stage 1 never runs dry; what matters is
 * what each of the two workers does and how many messages wait for stages 2 and 3. When a worker has finished a message
 * the policy, which sees everything at once and needs no plans, chooses the stage that it serves next.
 *
 * Cost. The k-th request is finished when the workers have done the work of k requests, and besides it what they have put
 * into requests that are not finished yet, and lost on switches and idleness. So with two workers the mean time in the
 * system is a base that no policy changes, plus half of the work in unfinished requests, plus, for each part of a
 * worker's time that is lost, a quarter of the whole time (it delays all requests finished later, half of all on
 * average, by half of what is lost).
 */
const stepSeconds = 5;
/** Shortest and longest time of a message, in steps: 36-56, 29-48 and 8-38 s. */
const steps = [
  [7, 11],
  [6, 10],
  [2, 8],
] as const;
const switchSteps = 2;
/** Work that has gone into a message before it gets to each stage, in seconds. */
const invested = [0, 45, 85] as const;
/** 150 requests of 107.5 s of work for two workers. */
const makespanSeconds = (150 * 107.5) / 2;
/** Longer queues are never good: a state with one more is treated as this many, with a penalty. */
const longest = 14;
const fine = 200;
const queueStates = longest + 1;

export type StageNumber = 0 | 1 | 2;
type Activity =
  | { kind: 'serves'; stage: StageNumber; elapsed: number }
  | { kind: 'idle'; stage: StageNumber }
  | { kind: 'switches'; stage: StageNumber; left: number };

const stageNumbers = [0, 1, 2] as const;
const activities: Activity[] = stageNumbers.flatMap((stage): Activity[] => [
  ...Array.from({ length: steps[stage][1] }, (_, elapsed) => ({ kind: 'serves' as const, stage, elapsed })),
  { kind: 'idle', stage },
  ...Array.from({ length: switchSteps }, (_, index) => ({
    kind: 'switches' as const,
    stage,
    left: index + 1,
  })),
]);
const count = activities.length;
const indexOf = (wanted: Activity) =>
  activities.findIndex((each) => JSON.stringify(each) === JSON.stringify(wanted));
const serves = stageNumbers.map((stage) => indexOf({ kind: 'serves', stage, elapsed: 0 }));
const idle = stageNumbers.map((stage) => indexOf({ kind: 'idle', stage }));
const switchesTo = stageNumbers.map((stage) => indexOf({ kind: 'switches', stage, left: switchSteps }));

const state = (a: number, b: number, q2: number, q3: number) =>
  ((a * count + b) * queueStates + q2) * queueStates + q3;

interface Step {
  /** Chance that the worker is free after this step. */
  free: number;
  /** What it does otherwise. */
  goesOn: number;
  stage: StageNumber;
  /** A message is finished when it is free. */
  finishes: boolean;
  /** Cost of the step: lost time, and half of the work in what it has in hand. */
  cost: number;
}

const stepOf: Step[] = activities.map((activity, index) => {
  const { stage } = activity;
  if (activity.kind !== 'serves') {
    const free = activity.kind === 'idle' || activity.left === 1 ? 1 : 0;
    return { free, goesOn: index - 1, stage, finishes: false, cost: makespanSeconds / 4 };
  }
  const [least, most] = steps[stage];
  const now = activity.elapsed + 1;
  const cost = 0.5 * (invested[stage] + activity.elapsed * stepSeconds);
  return { free: now < least ? 0 : 1 / (most - now + 1), goesOn: index + 1, stage, finishes: true, cost };
});

/** What the other worker does. */
export interface Other {
  kind: 'serves' | 'idle' | 'switches';
  stage: StageNumber;
  /** How long it has been at its message. */
  elapsedMs: number;
}

/** The solution: what is lost by the best policy, and what it does. */
export interface Bound {
  /** Mean time in the system above the ideal with no lost time and no half-done work, in seconds. */
  extraSeconds: number;
  /**
   * Where a worker that has just finished at stage `from` should go, given what the other does. Stages are
   * counted from 0.
   */
  next(from: StageNumber, other: Other, q2: number, q3: number): StageNumber;
}

export function solveBound(): Bound {
  let values = new Float32Array(count * count * queueStates ** 2);
  let better = new Float32Array(values.length);
  let least = 0;
  let most = Number.POSITIVE_INFINITY;
  // The true value lies between the least and the greatest change of a round.
  while (most - least > 2) {
    [least, most] = improve(values, better);
    const base = better[state(serves[0] ?? 0, serves[0] ?? 0, 0, 0)] ?? 0;
    for (let index = 0; index < better.length; index++) better[index] = (better[index] ?? 0) - base;
    [values, better] = [better, values];
  }
  const next: Bound['next'] = (from, other, q2, q3) => {
    const busy = activityOf(other);
    const worth = stageNumbers.map((to) => {
      const choice = choose(from, to, Math.min(longest, q2), Math.min(longest, q3));
      return values[state(choice.activity, busy, choice.q2, choice.q3)] ?? Number.POSITIVE_INFINITY;
    });
    return stageNumbers[worth.indexOf(Math.min(...worth))] ?? 0;
  };
  return { extraSeconds: (least + most) / 2, next };
}

function activityOf({ kind, stage, elapsedMs }: Other): number {
  if (kind === 'idle') return idle[stage] ?? 0;
  if (kind === 'switches') return switchesTo[stage] ?? 0;
  const elapsed = Math.floor(elapsedMs / 1000 / stepSeconds);
  return (serves[stage] ?? 0) + Math.min(steps[stage][1] - 1, elapsed);
}

/** One round of value iteration; returns the least and the greatest change. */
function improve(values: Float32Array, better: Float32Array): [number, number] {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const [a, first] of stepOf.entries()) {
    // Workers are alike: half of the states are enough.
    for (const [b, second] of stepOf.entries()) {
      if (b > a) break;
      for (let q2 = 0; q2 < queueStates; q2++) {
        for (let q3 = 0; q3 < queueStates; q3++) {
          const waiting = 0.5 * (q2 * invested[1] + q3 * invested[2]);
          const tooLong = (q2 === longest ? fine : 0) + (q3 === longest ? fine : 0);
          const value =
            first.cost + second.cost + waiting + tooLong + expected(values, first, second, q2, q3);
          const index = state(a, b, q2, q3);
          const change = value - (values[index] ?? 0);
          least = Math.min(least, change);
          most = Math.max(most, change);
          better[index] = value;
          better[state(b, a, q2, q3)] = value;
        }
      }
    }
  }
  return [least, most];
}

/** Value of what comes after this step, averaged over which of the two workers is free then. */
function expected(values: Float32Array, first: Step, second: Step, q2: number, q3: number): number {
  let sum = 0;
  for (const aFree of [false, true]) {
    const aChance = aFree ? first.free : 1 - first.free;
    if (aChance === 0) continue;
    for (const bFree of [false, true]) {
      const chance = aChance * (bFree ? second.free : 1 - second.free);
      if (chance === 0) continue;
      const done = [aFree && first.finishes ? first.stage : -1, bFree && second.finishes ? second.stage : -1];
      const r2 = Math.min(longest, q2 + done.filter((stage) => stage === 0).length);
      const r3 = Math.min(longest, q3 + done.filter((stage) => stage === 1).length);
      sum += chance * best(values, aFree, first, bFree, second, r2, r3);
    }
  }
  return sum;
}

function best(
  values: Float32Array,
  aFree: boolean,
  first: Step,
  bFree: boolean,
  second: Step,
  q2: number,
  q3: number,
): number {
  let least = Number.POSITIVE_INFINITY;
  for (let x = 0; x < (aFree ? 3 : 1); x++) {
    const a = aFree ? choose(first.stage, x, q2, q3) : { activity: first.goesOn, q2, q3 };
    for (let y = 0; y < (bFree ? 3 : 1); y++) {
      const b = bFree ? choose(second.stage, y, a.q2, a.q3) : { activity: second.goesOn, q2: a.q2, q3: a.q3 };
      least = Math.min(least, values[state(a.activity, b.activity, b.q2, b.q3)] ?? least);
    }
  }
  return least;
}

/** What a free worker of stage `from` does when it is assigned to `to`, and what that leaves in the queues. */
function choose(from: number, to: number, q2: number, q3: number) {
  if (from !== to) return { activity: switchesTo[to] ?? 0, q2, q3 };
  if (to === 1)
    return q2 > 0 ? { activity: serves[1] ?? 0, q2: q2 - 1, q3 } : { activity: idle[1] ?? 0, q2, q3 };
  if (to === 2)
    return q3 > 0 ? { activity: serves[2] ?? 0, q2, q3: q3 - 1 } : { activity: idle[2] ?? 0, q2, q3 };
  return { activity: serves[0] ?? 0, q2, q3 };
}
