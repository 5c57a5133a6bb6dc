import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../src/engine/ground/identity.ts';
import { seededRandom } from '../../src/engine/simulation/chance.ts';
import type { ChildProgram } from '../../src/engine/testing/child-program.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import { pismak } from '../command-line.ts';
import { type Deposed, deposeLeader, wasRefused } from './deposed-leader.ts';
import { type Fault, type FaultName, faults } from './faults.ts';
import { Installation, unableWorker, workerNames } from './installation.ts';
import { type Balance, balanceOf, firstArrivals, type Recovery, recoveryFrom } from './recovery.ts';
import { type Arrival, output, stages } from './work.ts';

export interface FaultFigures {
  seed: number;
  faults: (Recovery & { fault: FaultName; what: string; note: string })[];
  /** As the checker outside the system counted. */
  balance: Balance;
  /** What `pismak results` saved and suppressed of the same messages. */
  collected: { saved: number; failed: number; duplicate: number; unreadable: number };
  deposed: Deposed;
  /** Of the worker that can load nothing. */
  unable: { failedLoads: number; done: number; elsewhere: string[] };
  /** Before the first fault: from sending a request until it came out. */
  usualMs: number;
  seconds: number;
}

const patienceMs = 240_000;

/**
 * Sends requests through three stages of an installation at scale while one thing after the other breaks, in an order and
 * at moments that the seed decides, and counts from outside what comes out. Sends until the last fault is over.
 */
export async function surviveFaults(options: {
  faults: readonly FaultName[];
  /** At least. */
  requests: number;
  everyMs: number;
  /** Whether what was killed is started again before the next fault. */
  repair: boolean;
  seed: number;
  say: (line: string) => void;
  /** Ends everything at once. */
  signal?: AbortSignal;
}): Promise<FaultFigures> {
  const { seed, say } = options;
  const startedAt = performance.now();
  const random = seededRandom(seed);
  const installation = await Installation.start({ machine: options.faults.includes('partition'), random });
  options.signal?.addEventListener('abort', () => void installation.close());
  try {
    say(
      `RabbitMQ x3, ZooKeeper x3, PostgreSQL x2, 2 x up, 3 workers and one that can load nothing: ${age(startedAt)} s`,
    );
    const checker = installation.startChecker();
    const arrivals: Arrival[] = [];
    const seen = new Set<string>();
    const reading = readArrivals(checker, (arrival) => {
      arrivals.push(arrival);
      installation.tellArrived(seen.add(arrival.uuid).size);
    });
    // When it breaks off, that shows where it is awaited.
    reading.catch(() => {});
    await eventually(
      'all workers are there',
      async () => (await installation.workers()).length === workerNames.length + 1,
      patienceMs,
    );
    // From the first request on, it stands where it can't help.
    const [first = ''] = stages;
    await installation.ups[0]?.pismak.call('worker.switch', { id: unableWorker, stage: first });
    await eventually(
      'one worker can not load its stage',
      async () => (await installation.unable()).failedLoads > 0,
      patienceMs,
    );
    installation.startPublisher(String(seed), options.everyMs);
    const usualMs = await usualTime(installation, arrivals, Math.min(100, options.requests / 4));

    const struck: FaultFigures['faults'] = [];
    for (const name of shuffled(options.faults, random)) {
      await wait(1_000 + random() * 3_000);
      struck.push(await survive(name, installation, arrivals, options.repair));
      const { what, workGoesOnMs, allOutMs, note } = struck.at(-1) ?? {};
      say(
        `${age(startedAt)} s: ${what}: work goes on after ${workGoesOnMs} ms, all out after ${allOutMs} ms. ${note}`,
      );
    }
    await eventually(
      'enough was sent',
      async () => (await installation.sent()).length >= options.requests,
      options.requests * options.everyMs * 4 + patienceMs,
    );
    await installation.endPublisher();
    const sent = await installation.sent();
    const isComplete = () => balanceOf(sent, arrivals).lost === 0;
    await untilQuiet(arrivals, isComplete);
    if (!isComplete()) say(`Not all came out.\n${await installation.whereabouts()}`);
    say(`${age(startedAt)} s: ${sent.length} requests sent, ${arrivals.length} messages came out`);
    const unable = await installation.unable();
    say(
      `the worker that can load nothing has tried ${unable.failedLoads} times and done ${unable.done} requests; it served ${unable.elsewhere.join(', ') || 'no other stage'}`,
    );
    const deposed = await deposeLeader(installation);
    say(`${age(startedAt)} s: the deposed leader was answered: ${deposed.answer}`);
    checker.send('put back');
    await reading;
    const balance = balanceOf(sent, arrivals);
    say(`${age(startedAt)} s: put back`);
    const collected = await collect(installation, balance.sent - balance.lost);
    say(`${age(startedAt)} s: collected`);
    return {
      seed,
      faults: struck,
      balance,
      collected,
      deposed,
      unable,
      usualMs,
      seconds: age(startedAt),
    };
  } catch (error) {
    if (!options.signal?.aborted) say(await installation.whereabouts().catch(String));
    throw options.signal?.aborted ? options.signal.reason : error;
  } finally {
    await installation.close();
  }
}

export function survivedFaults({ balance, collected, deposed, unable }: FaultFigures): boolean {
  const { sent, lost, failed, foreign } = balance;
  const nothingWrong = lost + failed + foreign + collected.failed + collected.unreadable === 0;
  const wasThere = unable.failedLoads > 0 && unable.done === 0;
  return nothingWrong && wasThere && collected.saved === sent && wasRefused(deposed);
}

async function survive(
  name: FaultName,
  installation: Installation,
  arrivals: readonly Arrival[],
  repairs: boolean,
) {
  const { what, strike }: Fault = faults[name];
  const recovery = async (at: number) => recoveryFrom(at, await installation.sent(), firstArrivals(arrivals));
  // What the fault before has left behind shall not be counted here.
  await eventually('nothing waits for long', async () => recovery(Date.now() - 10_000), patienceMs);
  let faultAt = 0;
  const { note = '', repair } = await strike(installation, () => {
    faultAt = Date.now();
  });
  const found = await eventually(`the work goes on after: ${what}`, () => recovery(faultAt), patienceMs);
  if (repairs) await repair?.();
  return { fault: name, what, ...found, note };
}

async function readArrivals(checker: ChildProgram, note: (arrival: Arrival) => void): Promise<void> {
  for (let line = await checker.line(); line !== 'done'; line = await checker.line()) note(JSON.parse(line));
}

/** The median of the later half of the first ones: those before it wait until each stage has a worker. */
async function usualTime(
  installation: Installation,
  arrivals: readonly Arrival[],
  count: number,
): Promise<number> {
  await eventually('the first requests have come out', () => arrivals.length >= count, patienceMs);
  const first = firstArrivals(arrivals);
  const times = (await installation.sent())
    .slice(count / 2)
    .map(({ uuid, begunAt }) => (first.get(uuid) ?? Infinity) - begunAt)
    .filter((ms) => ms < Infinity)
    .sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? 0;
}

/** What has not come out when nothing has come for a minute is lost. Duplicates may come after the last one. */
async function untilQuiet(arrivals: readonly Arrival[], complete: () => boolean): Promise<void> {
  let seen = arrivals.length;
  for (let quietMs = 0; quietMs < (complete() ? 5_000 : 60_000); quietMs += 250) {
    await wait(250);
    if (arrivals.length > seen) quietMs = 0;
    seen = arrivals.length;
  }
}

/** As a user does: waits until there are so many, and then takes whatever is left. */
async function collect({ ups, directory }: Installation, count: number): Promise<FaultFigures['collected']> {
  const collected = { saved: 0, failed: 0, duplicate: 0, unreadable: 0 };
  for (const until of [['--wait', String(count)], []]) {
    const parameters = ['results', output, '-o', join(directory, 'results'), '--json', ...until];
    const { code, out, err } = await pismak(ups[0]?.directory ?? '', parameters);
    if (code !== 0) throw new Error(`pismak results has failed: ${err}`);
    const counts = JSON.parse(out);
    for (const kind of ['saved', 'failed', 'duplicate', 'unreadable'] as const)
      collected[kind] += counts[kind];
  }
  return collected;
}

function shuffled<T>(all: readonly T[], random: Random): T[] {
  return all
    .map((one) => ({ one, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ one }) => one);
}

function age(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 1000);
}
