import type { Clock } from '../time/clock.ts';
import { processUse } from './process-use.ts';
import { PermanentFailure } from './processor.ts';

/** Limits on one piece of work in a process. */
export interface UseLimits {
  /** CPU time. On a busy machine the work may take `slowness` times as long in real time. */
  seconds: number;
  memoryMb: number;
}

/** The work exceeded its limits. The same work would do so again. */
export class Overrun extends PermanentFailure {
  readonly limit: 'time' | 'memory';

  constructor(limit: 'time' | 'memory', message: string) {
    super(message);
    this.limit = limit;
  }
}

/** A runaway program takes a gigabyte in a second. */
const checkMs = 100;
/** CPU time doesn't depend on what else the machine does, but a program may also wait for ever. */
const slowness = 5;

/** Watches a process during one piece of work, and calls back once if it exceeds its limits. */
export function watchUse(parts: {
  /** Known late if the process is confined by another program. */
  pid(): number | undefined;
  limits: UseLimits;
  clock: Clock;
  onOverrun: (overrun: Overrun) => void;
}): () => void {
  const { pid, limits, clock, onOverrun } = parts;
  const { seconds, memoryMb } = limits;
  const startedAt = clock.now();
  let usedBefore: number | undefined;
  let stopped = false;
  let cancel = () => {};
  const overrun = (cpuSeconds: number, residentMb: number) => {
    if (residentMb > memoryMb) return new Overrun('memory', `it needs more than ${memoryMb} MB of memory`);
    if (cpuSeconds > seconds) return new Overrun('time', `it takes more than ${seconds} s of processor time`);
    if (clock.now() - startedAt > seconds * slowness * 1000)
      return new Overrun('time', `it takes more than ${seconds * slowness} s`);
    return undefined;
  };
  const check = async () => {
    const { cpuSeconds, residentMb } = await processUse(pid());
    if (stopped) return;
    usedBefore ??= cpuSeconds;
    const found = overrun(cpuSeconds - usedBefore, residentMb);
    if (found) onOverrun(found);
    else cancel = clock.after(checkMs, check);
  };
  void check();
  return () => {
    stopped = true;
    cancel();
  };
}
