import { type Holder, readHolder } from '../../engine/data-directory/data-directory.ts';
import { PismakError } from '../../engine/errors.ts';
import { type Clock, sleep } from '../../engine/time/clock.ts';

/** How long a process that holds the directory may take to answer: it is just starting. */
const startingMs = 10_000;

/** The process that has the directory, once it can be talked to; undefined when nobody has it (any more). */
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
        `${data} is in use by process ${holder.pid} (${holder.purpose}), which can't be talked to: wait for it, or stop it`,
      );
    }
    await sleep(clock, 100, signal);
    signal.throwIfAborted();
  }
}
