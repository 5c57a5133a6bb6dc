/** Milliseconds on a clock that never jumps and is the same in all threads of this process. */
export function monotonic(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/**
 * Turns moments of the monotonic clock into time since the epoch. The machine may set its clock back by a few milliseconds at any time; moments
 * keep their distances all the same, so a log never shows a request earlier than the rules allowed it.
 */
export function timeline(): (moment: number) => number {
  const epoch = Date.now() - monotonic();
  return (moment) => Math.round(epoch + moment);
}
