import type { Operations } from '../api/types.ts';

type Listed = Operations['queue.ls']['output']['queues'][number];

/** What the stream tells of queues every few seconds; what is 0 or false is left out. */
interface Sampled {
  at: number;
  queues: readonly {
    name: string;
    ready?: number;
    backlog?: number;
    delayed?: number;
    inFlight?: number;
    dead?: number;
    oldestAt?: number;
    paused?: boolean;
  }[];
  rates: Readonly<Record<string, { perMinute: number; meanMs: number }>>;
}

/** A queue as a page shows it. */
export interface LiveQueue {
  name: string;
  kind: Listed['kind'];
  owner: string | null;
  /** Messages that a worker could take, and work that waits to enter the queue. */
  waiting: number;
  /** Of those, what waits in the database. */
  backlog: number;
  /** Messages that wait for their next attempt. */
  delayed: number;
  running: number;
  dead: number;
  oldestAt: number | undefined;
  paused: boolean;
  broken: string | undefined;
  maxLength: number | null;
  perMinute: number;
  meanMs: number | undefined;
}

/** The queues that were listed at `asOf`, with the numbers of the latest sample if it is newer. */
export function liveQueues(
  listed: readonly Listed[],
  asOf: number,
  sample: Sampled | undefined,
): LiveQueue[] {
  const isNewer = sample !== undefined && sample.at >= asOf;
  const sampled = new Map(sample?.queues.map((queue) => [queue.name, queue]));
  return listed.map((queue) => {
    const now = isNewer ? (sampled.get(queue.name) ?? { name: queue.name }) : fromList(queue);
    const rate = sample?.rates[queue.name];
    return {
      name: queue.name,
      kind: queue.kind,
      owner: queue.owner,
      waiting: (now.ready ?? 0) + (now.backlog ?? 0),
      backlog: now.backlog ?? 0,
      delayed: now.delayed ?? 0,
      running: now.inFlight ?? 0,
      dead: now.dead ?? 0,
      oldestAt: now.oldestAt,
      paused: isNewer ? (now.paused ?? false) : queue.paused,
      broken: queue.broken,
      maxLength: queue.maxLength,
      perMinute: rate?.perMinute ?? 0,
      meanMs: rate?.meanMs,
    };
  });
}

function fromList({ name, ready, backlog, delayed, inFlight, dead, oldestAt, paused }: Listed) {
  const oldest = oldestAt === null ? {} : { oldestAt };
  return { name, ready: ready.high + ready.normal, backlog, delayed, inFlight, dead, paused, ...oldest };
}

export const queueSorts = ['name', 'waiting', 'running', 'dead', 'oldest', 'rate'] as const;
export const queueKinds = ['stage', 'output', 'other'] as const;

/** What a person wants to see of the list. */
export interface QueueFilter {
  text: string;
  /** `waiting`, `dead`, `paused`, or a kind. */
  only: string | undefined;
}

export function filterQueues(queues: readonly LiveQueue[], { text, only }: QueueFilter): LiveQueue[] {
  const wanted = text.trim().toLowerCase();
  return queues.filter((queue) => {
    if (!queue.name.toLowerCase().includes(wanted)) return false;
    if (only === 'waiting') return queue.waiting + queue.delayed + queue.running > 0;
    if (only === 'dead') return queue.dead > 0;
    if (only === 'paused') return queue.paused || queue.broken !== undefined;
    return only === undefined || queue.kind === only;
  });
}

/** `sort` is a name of a column, with `-` for the largest first. Equal ones stay in the order of their names. */
export function sortQueues(queues: readonly LiveQueue[], sort: string, now: number): LiveQueue[] {
  const [name, direction] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1];
  const value = (queue: LiveQueue): number => {
    if (name === 'waiting') return queue.waiting;
    if (name === 'running') return queue.running;
    if (name === 'dead') return queue.dead;
    if (name === 'rate') return queue.perMinute;
    return queue.oldestAt === undefined ? -1 : now - queue.oldestAt;
  };
  const byName = (a: LiveQueue, b: LiveQueue) => (a.name < b.name ? -1 : 1);
  if (name === 'name') return queues.toSorted((a, b) => direction * byName(a, b));
  return queues.toSorted((a, b) => direction * (value(a) - value(b)) || byName(a, b));
}

export interface QueueTotals {
  waiting: number;
  delayed: number;
  running: number;
  dead: number;
  perMinute: number;
  /** The queue whose first message waits longest. */
  oldest: LiveQueue | undefined;
  fullest: LiveQueue | undefined;
}

export function totalsOf(queues: readonly LiveQueue[]): QueueTotals {
  const sum = (value: (queue: LiveQueue) => number) =>
    queues.reduce((total, queue) => total + value(queue), 0);
  // Results that wait to be collected are nobody's delay.
  const work = queues.filter(({ kind }) => kind === 'stage');
  return {
    waiting: work.reduce((total, { waiting }) => total + waiting, 0),
    delayed: sum(({ delayed }) => delayed),
    running: sum(({ running }) => running),
    dead: sum(({ dead }) => dead),
    perMinute: sum(({ perMinute }) => perMinute),
    oldest: work
      .filter(({ oldestAt }) => oldestAt !== undefined)
      .toSorted((a, b) => (a.oldestAt ?? 0) - (b.oldestAt ?? 0))[0],
    fullest: work.filter(({ waiting }) => waiting > 0).toSorted((a, b) => b.waiting - a.waiting)[0],
  };
}
