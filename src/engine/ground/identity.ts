import { randomBytes } from 'node:crypto';
import type { Clock } from '../time/clock.ts';

/** A UUID of version 7: unique, and ids of one process sort in the order they were made. */
export function newId(clock: Clock): string {
  // Within one millisecond, or if the clock steps back, count up from the last id to keep the order.
  const now = clock.now();
  if (now > lastTime) {
    lastTime = now;
    counter = randomBytes(2).readUInt16BE() & 0x7ff;
  } else if (++counter > 0xfff) {
    lastTime++;
    counter = 0;
  }
  const time = lastTime.toString(16).padStart(12, '0');
  const tail = randomBytes(8);
  tail[0] = ((tail[0] ?? 0) & 0x3f) | 0x80;
  const hex = tail.toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${hex.slice(0, 4)}-${hex.slice(4)}`;
}

let lastTime = 0;
let counter = 0;

/** A number in [0, 1), injected so that tests can choose it. */
export type Random = () => number;
