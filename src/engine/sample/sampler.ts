import type { Coordination } from '../coordination/coordination.ts';
import type { ClockWatch } from '../health/clock-watch.ts';
import type { Ports } from '../ports/ports.ts';
import { everyPeriod, type Running, runService, type ServiceContext } from '../service/service.ts';
import type { Stages } from '../stage/stages.ts';
import { WakeUp } from '../time/wake-up.ts';
import { HistoryRecorder } from './history-recorder.ts';
import { measuredOf, measuredWork, type Reported, Totals } from './measured.ts';
import type { Progress, Sample } from './sample.ts';
import { StageRates } from './stage-rates.ts';
import { readCluster, toSampledWorker } from './take-sample.ts';

type SamplerParts = Pick<Ports, 'broker' | 'clock' | 'coordination' | 'database' | 'log' | 'openSession'> & {
  stages: Stages;
  clockWatch?: ClockWatch;
  /** What houses report. A house that fails is left out. */
  progress(): Promise<Progress[]>;
  reported(): Promise<Reported[]>;
};

export const samplePath = '/sample';
/** Each process with a client that follows has a node below this path. */
export const followersPath = '/followers';

/** While somebody follows. */
const followedMs = 2_000;
/** Otherwise, for the history. */
const unfollowedMs = 10_000;

/**
 * Looks at queues, workers and long work every few seconds, once for the whole cluster: an elected service. Clients get the sample through
 * their streams instead of asking each for itself; ages of messages cost deliveries on RabbitMQ, and counts cost queries.
 */
export function runSampler(parts: SamplerParts): Running {
  const { clock, log, openSession } = parts;
  return runService({ name: 'sampler', clock, log, openSession, run: (context) => lead(parts, context) });
}

async function lead(parts: SamplerParts, { coordination, hold, signal }: ServiceContext): Promise<void> {
  const { clock, log } = parts;
  const rates = new StageRates();
  const totals = new Totals();
  const history = new HistoryRecorder(parts);
  const wakeUp = new WakeUp();
  let isFollowed = false;
  let lastAt = Number.NEGATIVE_INFINITY;
  const unwatch = coordination.watchChildren(followersPath, ({ length }) => {
    const isNew = length > 0 && !isFollowed;
    isFollowed = length > 0;
    if (isNew) wakeUp.wake();
  });
  const publish = await openSampleNode(coordination, hold);
  try {
    await everyPeriod({ name: 'sampler', clock, log, periodMs: unfollowedMs, signal, wakeUp }, async () => {
      const at = clock.now();
      const { queues, workers } = await readCluster({ ...parts, coordination });
      const presences = workers.flatMap(({ presence }) => presence ?? []);
      const finished = rates.add(presences, at);
      const sample: Sample = {
        at,
        queues,
        rates: rates.perMinute(at),
        workers: workers.map(toSampledWorker),
        progress: isFollowed ? await parts.progress() : [],
      };
      await publish(sample);
      // For the history, ten seconds are enough, even while somebody follows.
      if (at - lastAt >= unfollowedMs - followedMs / 2 || at < lastAt) {
        lastAt = at;
        history.addLook(at, [...measuredOf(sample), ...totals.add(await parts.reported())]);
      }
      history.addCounts(at, measuredWork(finished));
      await history.write(at);
      return isFollowed ? followedMs : unfollowedMs;
    });
  } finally {
    unwatch();
    await history.close();
  }
}

/** The latest sample is a node that vanishes with the leader. */
async function openSampleNode(coordination: Coordination, hold: ServiceContext['hold']) {
  const value = (sample: Sample | null) => JSON.stringify(sample);
  await coordination.delete(samplePath, { under: hold });
  await coordination.create(samplePath, value(null), { ephemeral: true });
  return (sample: Sample) => coordination.set(samplePath, value(sample), { under: hold });
}
