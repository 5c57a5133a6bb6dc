/** Milliseconds on a clock that never jumps and is the same in all threads of this process. */
export function monotonic(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
