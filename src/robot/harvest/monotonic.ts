/** Milliseconds on a clock that never jumps and that all threads of this process share. */
export function monotonic(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/**
 * Converts moments of the monotonic clock to time since the epoch. The time of day may be set back by a few milliseconds at any time; converted
 * moments keep their distances, so a log never shows a request earlier than the rules allowed it.
 */
export function timeline(): (moment: number) => number {
  const epoch = Date.now() - monotonic();
  return (moment) => Math.round(epoch + moment);
}
