import { defineSentences } from '../ground/sentence.ts';

/** The stage where a worker is sent by `flow`. */
export type Destination = {
  to: string;
  waiting: number;
  serving: number;
  lot: number;
};

const there = ({ to, waiting, serving, lot }: Destination) =>
  `at ${to}: ${waiting} waiting, ${serving} serving, a lot is ${lot}`;

/** Why policy `flow` sends a worker somewhere. */
export const sayFlow = defineSentences({
  'watchdog.starving': (it: Destination & { seconds: number }) =>
    `no worker has served ${it.to} for ${it.seconds} s; ${there(it)}`,
  'watchdog.work-again': (it: Destination) => `there is work again; ${there(it)}`,
  'watchdog.nearer-end': (it: Destination & { from: string }) =>
    `a lot is nearer to its end than at ${it.from}; ${there(it)}`,
  'watchdog.no-stage': (it: Destination) => `it serves no stage; ${there(it)}`,
  'watchdog.nothing-waits': (it: Destination & { from: string }) =>
    `nothing waits at ${it.from}; ${there(it)}`,
  'watchdog.others-suffice': (it: Destination & { from: string; left: number }) =>
    `other workers suffice for the ${it.left} waiting at ${it.from}; ${there(it)}`,
});

/** The queue to which a worker is sent by `parametric`; `priority` is P, from 0 to 1. */
export type TargetQueue = {
  to: string;
  priority: number;
  length: number;
  serving: number;
};

const target = ({ to, priority, length, serving }: TargetQueue) =>
  `highest priority ${to} (${priority.toFixed(3)}): ${length} in the queue, ${serving} serving`;

/** Why policy `parametric` sends a worker somewhere. */
export const sayParametric = defineSentences({
  'watchdog.idle': (it: TargetQueue) => `idle; ${target(it)}`,
  'watchdog.lower-priority': (it: TargetQueue & { from: string; fromPriority: number }) =>
    `moved from lower priority ${it.from} (${it.fromPriority.toFixed(3)}); ${target(it)}`,
});
