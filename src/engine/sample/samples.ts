import type { Logger } from 'pino';
import type { Coordination } from '../coordination/coordination.ts';
import { newId } from '../ground/identity.ts';
import { type Clock, sleep } from '../time/clock.ts';
import { unlessAborted } from '../time/deadline.ts';
import { type Sample, sample } from './sample.ts';
import { followersPath, samplePath } from './sampler.ts';

/** What this process knows of the cluster's samples. */
export interface Samples {
  /** Calls `listener` with the latest sample, and with each that follows. While anybody follows, there is one every two seconds. */
  follow(listener: (sample: Sample) => void): () => void;
  /** The latest sample, at most some seconds old; undefined if no process takes samples. */
  latest(): Promise<Sample | undefined>;
  close(): Promise<void>;
}

/** A page that is reloaded comes back at once. */
const lingerMs = 5_000;
const againMs = 1_000;
const freshMs = 30_000;

/** Follows the sampler through a session of its own, as long as anybody here listens. The session's node tells the sampler so. */
export function createSamples(parts: {
  coordination: Coordination;
  openSession(identity: string): Promise<Coordination>;
  clock: Clock;
  log: Logger;
}): Samples {
  const { coordination, openSession, clock, log } = parts;
  const listeners = new Set<(sample: Sample) => void>();
  let last: Sample | undefined;
  let following: { stop: AbortController; ended: Promise<void> } | undefined;
  let cancelLeaving = () => {};

  const isFresh = ({ at }: Sample) => Math.abs(clock.now() - at) < freshMs;
  function hear(value: string | undefined): void {
    const heard = read(value);
    if (!heard || heard.at === last?.at) return;
    last = heard;
    for (const listener of listeners) listener(heard);
  }

  async function followOnce(signal: AbortSignal): Promise<void> {
    const session = await openSession('follower');
    try {
      await session.create(`${followersPath}/${newId(clock)}`, '', { ephemeral: true });
      const unwatch = session.watch(samplePath, (node) => hear(node?.value));
      const over = AbortSignal.any([signal, session.lost]);
      await unlessAborted(new Promise<never>(() => {}), over).catch(() => {});
      unwatch();
    } finally {
      await session.close();
    }
  }

  function begin(): typeof following {
    const stop = new AbortController();
    const loop = async () => {
      while (!stop.signal.aborted) {
        await followOnce(stop.signal).catch((error: unknown) =>
          log.debug({ err: error }, 'the samples can’t be followed now; trying again'),
        );
        await sleep(clock, againMs, stop.signal);
      }
    };
    return { stop, ended: loop() };
  }

  return {
    follow(listener) {
      cancelLeaving();
      listeners.add(listener);
      following ??= begin();
      if (last && isFresh(last)) listener(last);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        cancelLeaving = clock.after(lingerMs, () => {
          following?.stop.abort();
          following = undefined;
        });
      };
    },
    async latest() {
      const found = last && isFresh(last) ? last : read((await coordination.get(samplePath))?.value);
      return found && isFresh(found) ? found : undefined;
    },
    async close() {
      cancelLeaving();
      following?.stop.abort();
      await following?.ended;
    },
  };
}

/** A sampler of another version may write something else. */
function read(value: string | undefined): Sample | undefined {
  if (value === undefined) return undefined;
  return sample.safeParse(JSON.parse(value)).data;
}
