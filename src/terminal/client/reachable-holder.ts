import { type Holder, readHolder } from '../../engine/data-directory/data-directory.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { type Clock, sleep } from '../../engine/time/clock.ts';

/** How long to wait for a process that holds the directory but does not answer, because it may be starting. */
const startingMs = 10_000;

/** The process that uses the directory, once it answers; undefined if none uses it (any more). */
export async function reachableHolder(
  data: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<Holder | undefined> {
  const deadline = clock.now() + startingMs;
  for (;;) {
    const holder = await readHolder(data);
    if (!holder || holder.url !== undefined) return holder;
    if (clock.now() >= deadline) {
      throw new PismakError(
        'data-directory-in-use',
        `${data} is in use by process ${holder.pid} (${holder.purpose}), which does not answer: wait for it, or stop it`,
      );
    }
    await sleep(clock, 100, signal);
    signal.throwIfAborted();
  }
}
